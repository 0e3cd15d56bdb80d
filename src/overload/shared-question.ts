/** Those who ask while a question is under way share its answer: however many ask at once, one question is asked. */
export const sharedQuestion = <T>(ask: () => Promise<T>) => {
  let asking: Promise<T> | undefined
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }
}
