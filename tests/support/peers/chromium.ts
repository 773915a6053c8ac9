// Controls a real browser, headless Chromium, through the DevTools protocol.
import { findProgram } from "../needs.ts";

/** The path of Chromium, or null if it is not installed. */
export const CHROMIUM = findProgram("chromium", "chromium-browser", "google-chrome");

export interface Viewing {
  javaScript?: boolean;
  width?: number;
  colours?: "light" | "dark";
  /** The value of `Accept-Language`. */
  language?: string;
  cookies?: Readonly<Record<string, string>>;
  /** How many times slower the processor is. */
  slowdown?: number;
}

export interface Tab {
  /** The requested URLs, starting with the page. */
  readonly requests: readonly string[];
  /** Console messages, exceptions and blocked requests. */
  readonly complaints: readonly string[];
  evaluate<T>(expression: string): Promise<T>;
  /** Waits until an expression in the page is true. Fails after some seconds. */
  until(expression: string): Promise<void>;
  /** Shows the page as on a screen of this width and in these colours. */
  look(viewing: Pick<Viewing, "width" | "colours">): Promise<void>;
  /** Returns the number of bytes that the tab has received over the network. */
  receivedBytes(): number;
  /** Opens another page in the tab, and waits until it has loaded. */
  visit(url: string): Promise<void>;
  type(text: string): Promise<void>;
  /** Presses a key: `Tab`, `Enter`, `Escape`, `Space` or a character. */
  press(key: string): Promise<void>;
  /** Returns the page as WebP, at most `maxHeight` pixels of it. */
  screenshot(maxHeight?: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** A browser, whose tabs share nothing but the cache. */
export interface Browser {
  /** Opens a page in a new tab with its own cookies for `work`, and closes the tab afterwards. */
  withTab(url: string, viewing: Viewing, work: (tab: Tab) => Promise<void>): Promise<void>;
}

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--remote-debugging-port=0",
  // Only this machine can be reached.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
];
const PATIENCE_MS = 20_000;

/** The keys with a name: their codes, and the text that they type. */
const KEYS: Readonly<Record<string, { code: number; text: string }>> = {
  Tab: { code: 9, text: "" },
  Enter: { code: 13, text: "\r" },
  Escape: { code: 27, text: "" },
  Space: { code: 32, text: " " },
};

/** Opens a page for `work` in a separate browser with an empty profile, and closes the browser afterwards. */
export function withTab(url: string, viewing: Viewing, work: (tab: Tab) => Promise<void>): Promise<void> {
  return withBrowser((browser) => browser.withTab(url, viewing, work));
}

/** Starts a browser with an empty profile for `work`, and ends it afterwards. */
export async function withBrowser(work: (browser: Browser) => Promise<void>): Promise<void> {
  if (CHROMIUM === null) throw new Error("Chromium is not installed");
  const profile = await Deno.makeTempDir({ prefix: "regfeed-chromium-" });
  const child = new Deno.Command(CHROMIUM, {
    args: [...FLAGS, `--user-data-dir=${profile}`, "about:blank"],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const errors = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  try {
    const connection = await connect(await addressFrom(errors));
    try {
      await work({
        async withTab(url, viewing, workInTab) {
          const { browserContextId } = await connection.send("Target.createBrowserContext");
          try {
            await workInTab(await openTab(connection, url, { ...viewing, browserContextId }));
          } finally {
            await connection.send("Target.disposeBrowserContext", { browserContextId });
          }
        },
      });
    } finally {
      await connection.close();
    }
  } finally {
    await errors.cancel();
    stop(child);
    await child.status;
    await removeProfile(profile);
  }
}

async function addressFrom(errors: ReadableStreamDefaultReader<string>): Promise<string> {
  let text = "";
  for (;;) {
    const { done, value } = await errors.read();
    if (done) throw new Error(`Chromium ended before it listened: ${text}`);
    text += value;
    const address = /DevTools listening on (ws:\S+)/.exec(text)?.[1];
    if (address !== undefined) return address;
  }
}

function stop(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch {
    // The process has already ended.
  }
}

/** Removes the profile, to which the browser's last processes may still write. */
async function removeProfile(profile: string): Promise<void> {
  for (let left = 20;; left--) {
    try {
      return await Deno.remove(profile, { recursive: true });
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

type Fields = Record<string, unknown>;

interface Connection {
  send(method: string, params?: Fields, sessionId?: string): Promise<Fields>;
  listen(heard: (method: string, params: Fields, session: unknown) => void): void;
  close(): Promise<void>;
}

async function connect(address: string): Promise<Connection> {
  const socket = new WebSocket(address);
  const { promise: opened, resolve, reject } = Promise.withResolvers<void>();
  const { promise: closed, resolve: whenClosed } = Promise.withResolvers<void>();
  const waiting = new Map<number, PromiseWithResolvers<Fields>>();
  const listeners: ((method: string, params: Fields, session: unknown) => void)[] = [];
  let last = 0;
  socket.onopen = () => resolve();
  socket.onerror = () => reject(new Error("Chromium refused the connection"));
  socket.onclose = () => {
    for (const { reject } of waiting.values()) reject(new Error("Chromium has exited"));
    whenClosed();
  };
  socket.onmessage = ({ data }) => {
    const { id, method, params, result, error, sessionId } = JSON.parse(data);
    if (id === undefined) { for (const heard of listeners) heard(method, params, sessionId); }
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.resolve(result);
    else asked?.reject(new Error(error.message));
  };
  await opened;
  const send = (method: string, params: Fields = {}, sessionId?: string): Promise<Fields> => {
    const id = ++last;
    const asked = Promise.withResolvers<Fields>();
    waiting.set(id, asked);
    socket.send(JSON.stringify({ id, method, params, sessionId }));
    return asked.promise;
  };
  return {
    send,
    listen: (heard) => void listeners.push(heard),
    async close() {
      // The connection may close before the response arrives.
      send("Browser.close").catch(() => {});
      await closed;
    },
  };
}

async function openTab(
  connection: Connection,
  url: string,
  viewing: Viewing & { browserContextId: unknown },
): Promise<Tab> {
  const { javaScript = true, width = 1280, colours = "light", language = "en", cookies = {} } = viewing;
  const { browserContextId, slowdown = 1 } = viewing;
  const { targetId } = await connection.send("Target.createTarget", { url: "about:blank", browserContextId });
  const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
  const send = (method: string, params: Fields = {}) => connection.send(method, params, sessionId as string);
  const requests: string[] = [];
  const complaints: string[] = [];
  let received = 0;
  let loaded = Promise.withResolvers<void>();
  connection.listen((method, params, session) => {
    if (session !== sessionId) return;
    if (method === "Page.loadEventFired") loaded.resolve();
    if (method === "Network.requestWillBeSent") requests.push((params["request"] as { url: string }).url);
    if (method === "Runtime.consoleAPICalled" || method === "Runtime.exceptionThrown") {
      complaints.push(JSON.stringify(params));
    }
    if (method === "Network.loadingFinished") received += params["encodedDataLength"] as number;
    if (method === "Log.entryAdded") {
      const entry = params["entry"] as { level: string };
      // Verbose entries are advice about what the page does not do.
      if (entry.level !== "verbose") complaints.push(JSON.stringify(entry));
    }
  });
  for (const domain of ["Page", "Network", "Runtime", "Log"]) await send(`${domain}.enable`);
  await send("Emulation.setScriptExecutionDisabled", { value: !javaScript });
  const look: Tab["look"] = async ({ width = 1280, colours = "light" }) => {
    await send("Emulation.setEmulatedMedia", {
      features: [
        { name: "prefers-color-scheme", value: colours },
        { name: "prefers-reduced-motion", value: "reduce" },
      ],
    });
    const height = 900;
    await send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
  };
  await look({ width, colours });
  await send("Emulation.setScrollbarsHidden", { hidden: true });
  await send("Network.setExtraHTTPHeaders", { headers: { "Accept-Language": language } });
  for (const [name, value] of Object.entries(cookies)) {
    await send("Network.setCookie", { name, value, url, httpOnly: true, sameSite: "Strict" });
  }
  if (slowdown > 1) await send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  // A tab in the background is not painted.
  await send("Page.bringToFront");
  const visit = async (to: string) => {
    loaded = Promise.withResolvers();
    await send("Page.navigate", { url: to });
    await loaded.promise;
  };
  await visit(url);
  return { ...tabOver(send, { requests, complaints }), visit, look, receivedBytes: () => received };
}

function tabOver(
  send: (method: string, params?: Fields) => Promise<Fields>,
  seen: Pick<Tab, "requests" | "complaints">,
): Omit<Tab, "visit" | "look" | "receivedBytes"> {
  const evaluate = async <T>(expression: string): Promise<T> => {
    const params = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await send("Runtime.evaluate", params);
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return (result as { value: T }).value;
  };
  return {
    ...seen,
    evaluate,
    async until(expression) {
      const patience = AbortSignal.timeout(PATIENCE_MS);
      while (!await evaluate<boolean>(expression)) {
        if (patience.aborted) throw new Error(`it did not become true in time: ${expression}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async type(text) {
      await send("Input.insertText", { text });
    },
    async press(key) {
      const { code, text } = KEYS[key] ?? { code: key.toUpperCase().charCodeAt(0), text: key };
      const common = { key: key === "Space" ? " " : key, windowsVirtualKeyCode: code };
      await send("Input.dispatchKeyEvent", { type: "keyDown", ...common, ...(text === "" ? {} : { text }) });
      await send("Input.dispatchKeyEvent", { type: "keyUp", ...common });
    },
    async screenshot(maxHeight = Infinity) {
      const { cssContentSize } = await send("Page.getLayoutMetrics") as {
        cssContentSize: { width: number; height: number };
      };
      const { width, height } = cssContentSize;
      const clip = { x: 0, y: 0, scale: 1, width, height: Math.min(height, maxHeight) };
      const form = { format: "webp", quality: 80, captureBeyondViewport: true };
      const { data } = await send("Page.captureScreenshot", { ...form, clip });
      return Uint8Array.from(atob(data as string), (character) => character.charCodeAt(0));
    },
  };
}
