// Decides from the environment whether a terminal gets colours.

/** Whether the environment allows colours: not with `NO_COLOR` (https://no-color.org) or on a dumb terminal. */
export function allowsColours(env: (name: string) => string | undefined): boolean {
  return (env("NO_COLOR") ?? "") === "" && env("TERM") !== "dumb";
}
