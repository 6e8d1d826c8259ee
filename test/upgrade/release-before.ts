/**
 * The release before this one, as a commit of this repository. beside.long.ts runs it beside this version.
 *
 * At each release, after its commit is tagged, this becomes that commit: the next version is then tested against it. Until
 * 0.2.0 is released it is the first commit that can start beside newer migrations at all.
 */
export const releaseBefore = 'eedaa500e0016294cb7e6c6d78b695a52cff0ab4'
