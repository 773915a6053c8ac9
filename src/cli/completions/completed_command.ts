// What the completions of every shell know about a command.

export interface CompletedArgument {
  /** The placeholder, such as "FILE". */
  name: string;
  kind: "values" | "file" | "folder" | "other";
  values: readonly string[];
  /** Whether several values can be given, separated by commas. */
  isList: boolean;
}

interface CompletedOption {
  name: string;
  short: string | null;
  help: string;
  /** Null for a flag. */
  argument: CompletedArgument | null;
}

export interface CompletedCommand {
  /** One word, or a group and a word. */
  name: string;
  summary: string;
  options: readonly CompletedOption[];
  positionals: readonly (CompletedArgument & { mayRepeat: boolean })[];
}
