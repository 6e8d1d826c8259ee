import type { Db } from '../../db/database.ts'

export const pingDatabase = (db: Db) => db.run`select 1`
