import { Transform } from 'node:stream'

/**
 * The report of a run in a log: what has failed, with its diagnosis, and a line for each process. tap's own reporters draw a screen
 * after every assertion. That took ten seconds of processor time, for a log that shows only the last screen.
 */
export default class Failures extends Transform {
  #rest = ''
  #isDiagnosis = false
  #hasFailed = false

  _transform(chunk, _encoding, done) {
    const lines = (this.#rest + chunk).split('\n')
    this.#rest = lines.pop()
    done(null, lines.map(line => this.#shown(line)).join(''))
  }

  _flush(done) {
    done(null, this.#shown(this.#rest))
  }

  #shown(line) {
    const text = line.trimStart()
    if (this.#isDiagnosis) {
      this.#isDiagnosis = text !== '...'
      return this.#hasFailed ? `${line}\n` : ''
    }
    if (text === '---') {
      this.#isDiagnosis = true
      return this.#hasFailed ? `${line}\n` : ''
    }
    if (/^(not )?ok /.test(text)) this.#hasFailed = text.startsWith('not ') && !/ # (todo|skip)/i.test(text)
    const isOfAll = line !== '' && line === text && !/^# Subtest|^}/.test(line)
    return isOfAll || (this.#hasFailed && text.startsWith('not ')) || text.startsWith('Bail out!') ? `${line}\n` : ''
  }
}
