/** A typed array that grows. A plain array of ten million numbers would take eight times the memory. */
export class Growing<T extends Uint32Array | Float32Array> {
  size = 0

  constructor(private values: T) {}

  push(value: number) {
    if (this.size === this.values.length) {
      const grown = new (this.values.constructor as new (size: number) => T)(Math.ceil(this.size * 1.5))
      grown.set(this.values)
      this.values = grown
    }
    this.values[this.size++] = value
  }

  get all() {
    return this.values.subarray(0, this.size) as T
  }
}
