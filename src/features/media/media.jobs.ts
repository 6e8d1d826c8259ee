import { minutes } from '../../core/clock.ts'
import type { JobKind } from '../../jobs/job-kind.ts'
import type { Services } from '../context.ts'
import { claimDueMedia, findDueMedia } from './collect.sql.ts'
import { type ClaimedPicture, collectPicture } from './collect.ts'

export const mediaJobs = ({ db, media }: Pick<Services, 'db' | 'media'>): JobKind<ClaimedPicture>[] => [
  {
    name: 'media-cleanup',
    everyMs: minutes(1),
    concurrency: 4,
    limitMs: minutes(2),
    claimsAgain: true,
    findDue: () => findDueMedia(db),
    claim: async (storeId, limit) =>
      (await claimDueMedia(db, storeId, limit)).map((medium) => ({ ...medium, storeId })),
    run: (picture, signal) => collectPicture(db, media.storage, picture, signal),
    describe: ({ storeId, id }) => ({ storeNumber: storeId, mediaId: id }),
  },
]
