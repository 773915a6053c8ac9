// Short reasons for file system errors, for messages.

const REASONS: readonly [new (message: string) => Error, string][] = [
  [Deno.errors.NotFound, "it does not exist"],
  [Deno.errors.PermissionDenied, "permission denied"],
  [Deno.errors.NotCapable, "permission denied"],
  [Deno.errors.IsADirectory, "it is a folder"],
  [Deno.errors.NotADirectory, "it is not a folder"],
  [Deno.errors.AlreadyExists, "it already exists"],
  [Deno.errors.FilesystemLoop, "its symbolic links form a loop"],
];

export function reasonOf(error: unknown): string {
  // Node's errors have codes instead of classes.
  if ((error as { code?: string }).code === "EACCES") return "permission denied";
  return REASONS.find(([kind]) => error instanceof kind)?.[1] ?? (error as Error).message;
}
