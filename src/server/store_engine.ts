// Loads the store engine. A second engine would be chosen here and in src/database_worker.ts.
import type { StoreEngine } from "../domain/ports/store/engine.ts";

/** Loads the engine on demand, so that commands without a store start faster. */
export async function loadEngine(): Promise<StoreEngine> {
  const { createSqliteEngine } = await import("../store/sqlite/engine.ts");
  return createSqliteEngine();
}
