// Runs Alertmanager as a comparison in the delivery rows. It neither signs its webhooks nor records them.
import { join } from "node:path";

/** Time limit for the start of Alertmanager, ms. */
const START_MS = 10_000;
const POLL_MS = 20;
/** Alerts per request. */
const BATCH = 500;

export interface Alertmanager {
  /** Creates alerts with texts of this length. Alertmanager sends each alert in a separate webhook. */
  alert(count: number, textLength: number): Promise<void>;
  end(): Promise<void>;
}

/** Starts Alertmanager, which sends to the port. Returns null if it is not installed. */
export async function startAlertmanager(folder: string, port: number): Promise<Alertmanager | null> {
  const config = join(folder, "alertmanager.json"); // JSON is also YAML
  await Deno.writeTextFile(config, JSON.stringify(configFor(port)));
  const listen = freePort();
  const child = spawn([
    `--config.file=${config}`,
    `--storage.path=${join(folder, "alertmanager")}`,
    `--web.listen-address=127.0.0.1:${listen}`,
    "--cluster.listen-address=",
  ]);
  if (child === null) return null;
  const address = `http://127.0.0.1:${listen}`;
  const end = async (): Promise<void> => {
    child.kill("SIGTERM");
    await child.status;
  };
  for (let leftMs = START_MS; !await isReady(address); leftMs -= POLL_MS) {
    if (leftMs <= 0) {
      await end();
      throw new Error(`Alertmanager did not respond within ${START_MS} ms`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return { alert: (count, textLength) => postAlerts(address, count, textLength), end };
}

function configFor(port: number): unknown {
  return {
    route: {
      receiver: "receiver",
      group_by: ["..."],
      group_wait: "0s",
      group_interval: "1h",
      repeat_interval: "1h",
    },
    receivers: [{
      name: "receiver",
      webhook_configs: [{ url: `http://127.0.0.1:${port}/hook`, send_resolved: false }],
    }],
  };
}

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  listener.close();
  return listener.addr.port;
}

function spawn(args: readonly string[]): Deno.ChildProcess | null {
  for (const program of ["prometheus-alertmanager", "alertmanager"]) {
    try {
      return new Deno.Command(program, { args: [...args], stdout: "null", stderr: "null" }).spawn();
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return null;
}

async function isReady(address: string): Promise<boolean> {
  try {
    const response = await fetch(`${address}/-/ready`);
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

async function postAlerts(address: string, count: number, textLength: number): Promise<void> {
  const text = "x".repeat(textLength);
  const run = crypto.randomUUID();
  for (let from = 0; from < count; from += BATCH) {
    const alerts = Array.from({ length: Math.min(BATCH, count - from) }, (_, at) => ({
      labels: { alertname: "bench", run, number: String(from + at) },
      annotations: { text },
    }));
    const response = await fetch(`${address}/api/v2/alerts`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(alerts),
    });
    if (!response.ok) throw new Error(`Alertmanager: ${response.status} ${await response.text()}`);
    await response.body?.cancel();
  }
}
