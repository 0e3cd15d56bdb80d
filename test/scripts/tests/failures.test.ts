import { text } from 'node:stream/consumers'
import t from 'tap'
// @ts-expect-error tap loads it as it is, so it has no types.
import Failures from '../../../scripts/tests/failures.mjs'

const tap = `TAP version 14
# Subtest: a file
    # Subtest: a test
        ok 1 - good
          ---
          source: not shown
          ...
        not ok 2 - bad
          ---
          diff: shown
          ...
        not ok 3 - later # TODO one day
          ---
          source: not shown
          ...
        1..3
    not ok 1 - a test # time=1ms
    Bail out! too bad
not ok 1 - a file # time=2ms
# { total: 3, pass: 1, fail: 1, todo: 1 }
ok 2 - another file {
    ok 1 - good
    1..1
}
1..2`

const shown = `TAP version 14
        not ok 2 - bad
          ---
          diff: shown
          ...
    not ok 1 - a test # time=1ms
    Bail out! too bad
not ok 1 - a file # time=2ms
# { total: 3, pass: 1, fail: 1, todo: 1 }
ok 2 - another file {
1..2
`

t.test('of a run, the log has what failed, and a line for each file', async t => {
  const whole = new Failures()
  whole.end(tap)
  t.equal(await text(whole), shown)
  const pieces = new Failures()
  for (const character of tap) pieces.write(character)
  pieces.end()
  t.equal(await text(pieces), shown, 'however it comes in pieces')
})
