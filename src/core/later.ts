import { createRequire } from 'node:module'

/** A value that takes long to make and that few processes need: made at the first call. */
export const later = <Value>(make: () => Value): (() => Value) => {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

const load = createRequire(import.meta.url)

/**
 * A package, loaded at the first call. For CommonJS packages that are used where nothing can be awaited; elsewhere
 * `await import` does the same.
 */
export const loadLater = <Module>(name: string): (() => Module) => later<Module>(() => load(name))
