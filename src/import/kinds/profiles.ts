import type { Collection, Db } from 'mongodb'
import { places } from '../../identity/profile-documents.js'
import type { UserDocument } from '../../identity/users.js'
import { erasuresOf } from '../../privacy/erasures.js'
import { Table } from '../../table.js'
import type { ReportFault } from '../kind.js'
import { inBatches } from '../records.js'

interface CheckedUser {
  id: number
  account_id?: number
  max_age: number | null
}

/** Checks that the profiles of the run have accounts, and that each account keeps a profile without a limit. */
export class Profiles {
  /** The accounts of the run's profiles. */
  private readonly accounts = new Table(1, 1)
  /** The places of the run's records that have a limit. */
  private readonly limited = new Table(1, 1)

  constructor(
    private readonly db: Db,
    /** The places of the run's records. */
    private readonly given: Table
  ) {}

  add({ id, account_id, max_age }: CheckedUser, place: number) {
    if (account_id !== undefined) this.accounts.add([id], account_id)
    if (max_age !== null) this.limited.add([id], place)
  }

  async check(report: ReportFault) {
    const noAccounts = await this.accountFaults()
    this.reportAccounts(noAccounts, report)
    await this.checkLimits(noAccounts, report)
  }

  private get users() {
    return this.db.collection<UserDocument>('users')
  }

  /** Each `account_id` of the run that is not the id of an account, with the reason. */
  private async accountFaults() {
    const reasons = new Map<number, string>()
    for (const batch of inBatches(this.accounts.pairs())) {
      const others: number[] = []
      for (const [, account] of batch) {
        if (!this.given.has(account)) others.push(account)
        else if (this.accounts.has(account)) reasons.set(account, `user ${account} is itself a profile`)
      }
      for (const [account, reason] of await this.storedFaults(others)) reasons.set(account, reason)
    }
    return reasons
  }

  private reportAccounts(reasons: ReadonlyMap<number, string>, report: ReportFault) {
    const faults: { place: number; reason: string }[] = []
    for (const [id, account] of this.accounts.pairs()) {
      const reason = reasons.get(account)
      if (reason) faults.push({ place: this.given.get(0, id) as number, reason })
    }
    faults.sort((one, other) => one.place - other.place)
    for (const { place, reason } of faults) report(place, 'account_id', reason)
  }

  /** For ids that are missing from the run, returns those that are not accounts in the database either, each with the reason. */
  private async storedFaults(ids: number[]) {
    const faults = new Map(ids.map(id => [id, `there is no account ${id}`]))
    if (ids.length === 0) return faults
    const options = { projection: { account_id: 1 } }
    for await (const { _id, account_id } of this.users.find({ _id: { $in: ids } }, options)) {
      if (account_id === undefined) faults.delete(_id)
      else faults.set(_id, `user ${_id} is itself a profile`)
    }
    for (const id of await erasuresOf(this.db).among(ids)) faults.set(id, `user ${id} was erased`)
    return faults
  }

  private async checkLimits(noAccounts: ReadonlyMap<number, string>, report: ReportFault) {
    const faults: { account: number; place: number }[] = []
    for (const batch of inBatches(this.withoutUnlimited())) {
      const known = await this.storedUnlimited(batch.map(({ account }) => account))
      faults.push(...batch.filter(({ account }) => !known.has(account) && !noAccounts.has(account)))
    }
    faults.sort((one, other) => one.place - other.place)
    for (const { place, account } of faults) report(place, 'max_age', `must be null for at least one profile of account ${account}`)
  }

  /** The accounts for which the run has profiles with a limit, but none without, each with the place of its first record. */
  private *withoutUnlimited() {
    const unlimited = new Table(1)
    for (const [id, account] of this.accounts.pairs()) if (!this.limited.has(id)) unlimited.add([account])
    const first = new Table(1, 1)
    for (const [id, place] of this.limited.pairs()) {
      const account = this.accounts.get(0, id) ?? id
      const isFirstUnlimited = this.given.has(account) && !this.limited.has(account)
      if (isFirstUnlimited || unlimited.has(account)) continue
      if (!first.add([account], place)) first.set(0, Math.min(place, first.get(0, account) as number), account)
    }
    for (const [account, place] of first.pairs()) yield { account, place }
  }

  /** The accounts that keep a profile without a limit whatever the run writes, because only the database has it. */
  private async storedUnlimited(accounts: number[]) {
    const filter = { $or: [{ _id: { $in: accounts } }, { account_id: { $in: accounts } }], max_age: null }
    const known = new Set<number>()
    const found = this.users.find(filter, { projection: { account_id: 1 } })
    for await (const { _id, account_id = _id } of found) if (!this.given.has(_id)) known.add(account_id)
    return known
  }
}

interface ProfileRecord {
  id: number
  account_id: number
}

/** Gives each new profile one of the places of its account. */
export class ProfilePlaces {
  private readonly users: Collection<UserDocument>
  /** The taken places of each account, one bit each (at most 32), including those that this run has assigned but not written yet. */
  private readonly taken = new Table(1, 1)

  constructor(db: Db) {
    this.users = db.collection('users')
  }

  /** The places by profile id. A profile has none if its account is full. */
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
    const found = this.users.find({ account_id: { $in: accounts } }, { projection: { account_id: 1, place: 1 } })
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
