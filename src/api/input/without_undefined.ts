// Removes undefined fields.

/** Returns an object without its undefined fields, for types whose optional fields must not be undefined. */
export function definedFields<T extends object>(
  fields: T,
):
  & { [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name] }
  & { [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined> } {
  const defined = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as ReturnType<typeof definedFields<T>>;
}
