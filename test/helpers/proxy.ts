import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'

/** Stands between the app and its database, and can leave it without an answer or without a connection. */
export const proxyTo = async (t: Test, url: string) => {
  const { hostname, port } = new URL(url.replace(/^mongodb/, 'http'))
  const sockets = new Set<Socket>()
  const lost = new Set<Socket>()
  const late = new Set<Socket>()
  let state: 'open' | 'frozen' | 'silent' | 'gone' = 'open'
  let onQuestion = (_bytes: Buffer) => {}
  let cutsAnswers = false
  let holds: { text: string; milliseconds: number } | undefined
  let delayOf = () => 0

  const server = createServer(client => {
    if (state === 'gone') return client.destroy()
    const database = connect(Number(port), hostname)
    for (const [from, to] of [
      [client, database],
      [database, client]
    ] as const) {
      sockets.add(from)
      if (state === 'frozen') from.pause()
      if (state === 'silent') lost.add(from)
      from.on('data', bytes => {
        if (from === client && holds && bytes.includes(holds.text)) {
          late.add(database)
          setTimeout(() => database.write(bytes), holds.milliseconds)
          holds = undefined
          return undefined
        }
        if (from === client) onQuestion(bytes)
        else if (cutsAnswers) {
          cutsAnswers = false
          return cut()
        }
        const pass = () => !lost.has(from) && !to.destroyed && to.write(bytes)
        const delay = from === client ? 0 : delayOf()
        if (delay > 0) setTimeout(pass, delay)
        else pass()
        return undefined
      })
      from.on('error', () => undefined)
      from.on('close', () => {
        if (!late.has(to)) to.destroy()
        sockets.delete(from)
      })
    }
    return undefined
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  /** Ends every connection, but accepts new ones. */
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  /** The existing connections never answer again. New ones do. */
  const loseConnections = () => {
    for (const socket of sockets) lost.add(socket)
  }
  t.teardown(() => {
    cut()
    for (const socket of late) socket.destroy()
    server.close()
  })
  return {
    url: url.replace(/\/\/[^/]+/, `//127.0.0.1:${(server.address() as AddressInfo).port}`),
    /** Accepts connections but answers nothing until `comeBack`, like a stopped process. */
    freeze: () => {
      state = 'frozen'
      for (const socket of sockets) socket.pause()
    },
    /** Like `freeze`, but commands sent meanwhile are never answered, as after a network failure. */
    silence: () => {
      state = 'silent'
      loseConnections()
    },
    /** Ends every connection and accepts no others. */
    leave: () => {
      state = 'gone'
      cut()
    },
    comeBack: () => {
      state = 'open'
      for (const socket of sockets) socket.resume()
    },
    loseConnections,
    cut,
    /** Lets the next command reach the database, but cuts the connections before the answer arrives. */
    cutAnswer: () => {
      cutsAnswers = true
    },
    /** The next command with this text reaches the database this much later, even if the connection has been closed by then. */
    hold: (text: string, milliseconds: number) => {
      holds = { text, milliseconds }
    },
    /** From now on, each response takes so many milliseconds from the database. It must come in one piece, so it must be short. */
    delayResponses: (milliseconds: () => number) => {
      delayOf = milliseconds
    },
    /** Does something at the next command with this text, before it reaches the database. */
    at: (text: string, act: () => void) =>
      new Promise<void>(resolve => {
        onQuestion = bytes => {
          if (!bytes.includes(text)) return
          onQuestion = () => {}
          act()
          resolve()
        }
      })
  }
}
