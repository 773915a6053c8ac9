// Remembers what was passed over: to classify an item costs more than all else that an unchanged item does.

/** Items remembered in each of two halves: more than one document may hold. */
const MAX_REMEMBERED = 20_000;

/** Names of items that the classifier has passed over. */
export interface PassedOver {
  has(name: string): boolean;
  add(name: string): void;
}

/** An empty memory; of too many names those go first that nobody has asked for lately. */
export function createPassedOver(maxRemembered: number = MAX_REMEMBERED): PassedOver {
  let old = new Set<string>();
  let young = new Set<string>();
  const add = (name: string): void => {
    if (young.size >= maxRemembered) {
      old = young;
      young = new Set();
    }
    young.add(name);
  };
  return {
    has(name) {
      if (young.has(name)) return true;
      if (!old.has(name)) return false;
      add(name);
      return true;
    },
    add,
  };
}
