import type { Db } from 'mongodb'

/** The processor time of mongod in microseconds, and its operations, since its start. */
export const mongodStatus = async (db: Db) => {
  const { extra_info, opcounters } = await db.admin().command({ serverStatus: 1 })
  const { insert, query, update, delete: remove, getmore, command } = opcounters
  return {
    processor: Number(extra_info.user_time_us ?? 0) + Number(extra_info.system_time_us ?? 0),
    operations: [insert, query, update, remove, getmore, command].reduce((sum, count) => sum + Number(count), 0)
  }
}
