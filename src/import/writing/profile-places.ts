import type { Collection, Db } from 'mongodb'
import { places } from '../../data/profiles.js'
import type { UserDocument } from '../../data/users.js'
import { Table } from '../table.js'
import { operationTimeout } from '../timeouts.js'

interface ProfileRecord {
  id: number
  account_id: number
}

/** Gives each new profile one of the places of its account. */
export class ProfilePlaces {
  private readonly users: Collection<UserDocument>
  /** The taken places of each account, one bit each, including those that this run has assigned but not written yet. */
  private readonly taken = new Table(1, 1)

  constructor(db: Db) {
    this.users = db.collection('users')
  }

  /** The places by the ids of the profiles. A profile has none if its account is full. */
  async take(profiles: ProfileRecord[]) {
    const accounts = [...new Set(profiles.map(({ account_id }) => account_id))]
    const stored = await this.stored(accounts)
    const found = new Map<number, number>()
    for (const { id, account_id } of profiles) {
      const place = stored.get(id) ?? this.freeOf(account_id)
      if (place === undefined) continue
      found.set(id, place)
      this.mark(account_id, place)
    }
    return found
  }

  private async stored(accounts: number[]) {
    const stored = new Map<number, number>()
    if (accounts.length === 0) return stored
    const found = this.users.find({ account_id: { $in: accounts } }, { ...operationTimeout, projection: { account_id: 1, place: 1 } })
    for await (const { _id, account_id, place } of found) {
      stored.set(_id, place as number)
      this.mark(account_id as number, place as number)
    }
    return stored
  }

  private freeOf(account: number) {
    const taken = this.taken.get(0, account) ?? 0
    return places.find(place => (taken & (1 << place)) === 0)
  }

  private mark(account: number, place: number) {
    const taken = (this.taken.get(0, account) ?? 0) | (1 << place)
    if (!this.taken.add([account], taken)) this.taken.set(0, taken, account)
  }
}
