// The REST example of the documentation with a generated client: launch a batch, wait for its end, read its results.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { argv: string[] };

const scenario: components["schemas"]["Scenario"] = {
  name: "Calm reorder",
  variables: { ORDER_GOAL: [{ name: "a large custom pizza with ham", qty: 1 }], SEED: 7 },
};
const client = createClient<paths>({ baseUrl: process.argv[2] ?? "" });

async function main(): Promise<void> {
  const launched = await client.POST("/api/batches", { body: { scenarios: [scenario], name: "from TypeScript" } });
  if (launched.error !== undefined) throw new Error(launched.error.error);
  const path = { id: launched.data.batch_id };
  for (;;) {
    const { data, error } = await client.GET("/api/batches/{id}", { params: { path } });
    if (error !== undefined) throw new Error(error.error);
    if (data.status === "failed" || data.status === "cancelled") throw new Error(data.error_message ?? data.status);
    if (data.status === "completed") break;
    await new Promise((resume) => setTimeout(resume, 20));
  }
  const { data, error } = await client.GET("/api/batches/{id}/conversations", { params: { path } });
  if (error !== undefined) throw new Error(error.error);
  console.log(data.conversations.map((each) => `${each.scenario}: ${each.outcome}`).join("\n"));
}

void main();
