/** Whether the databases of this run are distributed (`CITUS_DATABASE_URL`, test/run.ts). */
export const onCluster = process.env.CITUS_DATABASE_URL !== undefined

/** For a test that cannot work there: `test('…', notOnCluster('why'), …)`. */
export const notOnCluster = (reason: string) => (onCluster ? { skip: reason } : {})

/** For a test that is about a cluster. */
export const onlyOnCluster = onCluster ? {} : { skip: 'CITUS_DATABASE_URL names no cluster' }

/** Some tests let a statement fail by a trigger. */
export const noTriggers = notOnCluster('a distributed table has no triggers')

/** Some tests read the plan of a statement. */
export const noPlans = notOnCluster('it reads the plan of one server')

/** Some tests run statements of a migration again. */
export const wasLocal = notOnCluster('this migration runs before a database is distributed')

/**
 * How many callers come at once, or deliveries wait. On a cluster each statement of a cart or a checkout is several that run
 * one after another, and those who wait behind so many of them for the same row are refused after ten seconds.
 */
export const crowdOf = (callers: number) => (onCluster ? Math.ceil(callers / 5) : callers)
