// The TypeScript SDK's client.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url, token] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${token}` };
const client = new Client({ name: "typescript", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
const { tools } = await client.listTools();
await client.callTool({ name: "remember", arguments: { content: "I keep bees on the roof" } });
const found = await client.callTool({ name: "search_memory", arguments: { query: "bees" } });
await client.close();
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), answer: found.content.map((b) => b.text).join("") }));
