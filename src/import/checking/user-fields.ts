import type { UserRecord } from '../../../schemas/import.js'
import { ProfileAddition } from '../../../schemas/profile.js'
import type { UserDocument } from '../../data/users.js'
import { isPasswordHash } from '../../identity/passwords.js'
import { inputAjv } from '../../validation/ajv.js'
import { rule } from '../../validation/rules.js'
import type { Entry, ReportFault } from '../kind.js'

const requiredWithoutSub = ['email', 'name'] as const
const ofAccounts = ['email', 'sub', 'password_hash'] as const
const hashes = ['password_hash', 'pin_hash'] as const
const profileName = ProfileAddition.properties.name

const checkAccount = ({ record, place }: Entry<UserRecord>, issuer: string | undefined, report: ReportFault) => {
  if (record.sub === undefined) {
    for (const field of requiredWithoutSub) if (record[field] === undefined) report(place, field, 'is required for a user without sub')
  } else if (!issuer) report(place, 'sub', 'needs the setting JWT_ISSUER')
}

const checkProfile = ({ record, place }: Entry<UserRecord>, report: ReportFault) => {
  for (const field of ofAccounts) if (record[field] !== undefined) report(place, field, 'belongs to the account, not to a profile')
  if (record.name === undefined) report(place, 'name', 'is required for a profile')
  else if (!inputAjv.validate(profileName, record.name)) report(place, 'name', `must be ${rule(profileName)}`)
}

/** Checks the fields of a user against each other and against the stored user. */
export const checkFields = (
  entry: Entry<UserRecord>,
  stored: UserDocument | undefined,
  issuer: string | undefined,
  report: ReportFault
) => {
  const { record, place } = entry
  if (record.account_id === undefined) checkAccount(entry, issuer, report)
  else checkProfile(entry, report)
  for (const field of hashes) {
    if (record[field] !== undefined && !isPasswordHash(record[field])) report(place, field, 'must be an argon2 or bcrypt hash')
  }
  if (stored && stored.account_id !== record.account_id) {
    const kind = stored.account_id === undefined ? 'an account' : `a profile of account ${stored.account_id}`
    report(place, 'account_id', `cannot change: user ${record.id} is ${kind}`)
  }
}
