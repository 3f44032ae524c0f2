// A form whose fields are the query string of an address. Without a view.

/** As it is written: an empty text is not given. */
export type Written<Name extends string> = Record<Name, string>;

/** Reads the fields from an address; one that is not in it has its default, or is empty. */
export function written<Name extends string>(
  names: readonly Name[],
  defaults: Partial<Written<Name>>,
  params: URLSearchParams,
): Written<Name> {
  return Object.fromEntries(
    names.map((name) => [name, params.get(name)?.trim() || (defaults[name] ?? "")] as const),
  ) as Written<Name>;
}

/** The query string that they are read from. The dataset stays in it though it is the default: the frame shows it too. */
export function queryOf<Name extends string>(
  names: readonly Name[],
  defaults: Partial<Written<Name>>,
  fields: Written<Name>,
): Record<string, string> {
  const given = names.filter((name) => fields[name].trim() && (name === "dataset" || fields[name] !== defaults[name]));
  return Object.fromEntries(given.map((name) => [name, fields[name].trim()]));
}
