import { type NoData, refusals } from './define.ts'

const { conflict, invalid, notFound } = refusals

export const catalogErrors = {
  PRODUCT_SLUG_TAKEN: conflict(({ slug }: { slug: string }) => `Another product already has the slug ${slug}.`),
  PRODUCT_SLUG_INVALID: invalid(
    ({ slug, suggestion }: { slug: string; suggestion: string }) =>
      `"${slug}" is not a valid slug. It may have lower-case letters, digits and single hyphens${suggestion === '' ? '' : `, such as ${suggestion}`}.`,
  ),
  VARIANT_OPTIONS_TAKEN: conflict(
    ({ variantId }: { variantId: string }) => `The variant ${variantId} already has these options.`,
  ),
  CATEGORY_NOT_FOUND: notFound(({ category }: { category: string }) => `The store has no category ${category}.`),
  CATEGORY_UNKNOWN: invalid(({ category }: { category: string }) => `The store has no category ${category}.`),
  CATEGORY_NAME_INVALID: invalid(
    (_: NoData) => 'The name of a category must not be empty and must not contain ">" or control characters.',
  ),
  CATEGORY_NAME_TAKEN: conflict(
    ({ name }: { name: string }) => `There is already a category ${name} in the same parent category.`,
  ),
  CATEGORY_SLUG_TAKEN: conflict(({ slug }: { slug: string }) => `Another category already has the slug ${slug}.`),
  CATEGORY_SLUG_INVALID: invalid(
    ({ slug }: { slug: string }) =>
      `"${slug}" is not a valid slug. It may have lower-case letters, digits and single hyphens.`,
  ),
  CATEGORY_INSIDE_ITSELF: invalid((_: NoData) => 'A category cannot be moved into itself or one of its descendants.'),
  CATEGORY_TOO_DEEP: invalid(({ maxLevels }: { maxLevels: number }) => `Categories have at most ${maxLevels} levels.`),
  CATEGORY_IMAGE_INVALID: invalid((_: NoData) => 'image must be a URL that begins with https:// or http://.'),
  CATEGORY_NOT_EMPTY: conflict(
    ({ categoryId }: { categoryId: string }) =>
      `The category ${categoryId} has products or categories in it. Move them first.`,
  ),
  BULK_PRODUCTS_UNCLEAR: invalid((_: NoData) => 'Name the products either by ids or by a filter.'),
  BULK_CHANGE_EMPTY: invalid((_: NoData) => 'There is nothing to change.'),
  BULK_PRICE_UNCLEAR: invalid((_: NoData) => 'Change the price either by percent or by amount.'),
  BULK_PERCENT_INVALID: invalid(({ percent }: { percent: number }) => `${percent} has more than three decimals.`),
  BULK_AMOUNT_INVALID: invalid(
    ({ amount, currency }: { amount: number; currency: string }) => `${amount} is not an amount in ${currency}.`,
  ),
  JOB_NOT_FOUND: notFound(({ jobId }: { jobId: string }) => `The store has no job ${jobId}.`),
  JOB_LIMIT_REACHED: conflict(
    ({ maxOpenJobs }: { maxOpenJobs: number }) =>
      `${maxOpenJobs} jobs of the store are not finished yet. Wait for one of them, or cancel one.`,
  ),
  JOB_TYPE_LIMIT_REACHED: conflict(
    ({ type, maxOpen }: { type: string; maxOpen: number }) =>
      `${maxOpen} jobs of type ${type} are not finished yet. Wait for one of them, or cancel one.`,
  ),
  JOB_DAY_LIMIT_REACHED: conflict(
    ({ type, maxKept }: { type: string; maxKept: number }) =>
      `The store has had ${maxKept} jobs of type ${type} within a day. Their files are kept that long.`,
  ),
  JOB_FILE_NOT_FOUND: notFound(({ jobId }: { jobId: string }) => `The job ${jobId} has no finished file.`),
  OUTLET_IS_DEFAULT: conflict(
    ({ outletId }: { outletId: string }) => `${outletId} is the default outlet. Choose another default first.`,
  ),
  OUTLET_IN_USE: conflict(
    ({ outletId }: { outletId: string }) =>
      `The outlet ${outletId} has stock, carts or orders, so it cannot be deleted.`,
  ),
}
