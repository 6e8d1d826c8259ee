import { makeBeside } from '../databases.ts'
import { databaseUrl } from '../harness.ts'

/** A database beside that of the other tests. */
export const makeDatabase = () => makeBeside(databaseUrl)
