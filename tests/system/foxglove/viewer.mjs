// viewer.mjs - a viewer of scenes for foxglove_test.py: the client package that Lichtblick uses, on the
// WebSocket of another package. Every message is checked twice: against the published schema of its
// name, and against the one that the server has advertised. What it knows is printed on request.
//
// node viewer.mjs <folder with node_modules> <address> <sub-protocol>; commands come as lines of JSON:
// {"do":"subscribe","topics":["/hall/tf"]} (all without topics), "unsubscribe", "state", "times", "send".

import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { join } from "node:path";

const [, , place, address, protocol] = process.argv;
const require = createRequire(join(place, "node_modules", "of.cjs"));
const { FoxgloveClient } = require("@foxglove/ws-protocol");
const WebSocket = require("ws");
const Ajv = require("ajv");
const published = require("@foxglove/schemas/jsonschema");

const ajv = new Ajv({ strict: false, allErrors: true });
const known = {
  channels: {}, frames: {}, entities: {}, values: {}, locations: {}, logs: [], statuses: [], errors: [],
  counts: {}, info: null, protocol: null, closed: null,
};
const channels = new Map(); // by id
const wanted = new Set(); // topics, or "*"
const subscriptions = new Map(); // by topic
const bySubscription = new Map();

const socket = new WebSocket(address, [protocol], { perMessageDeflate: false });
const client = new FoxgloveClient({ ws: socket });
const decoder = new TextDecoder();

function judge(channel) {
  const name = channel.schemaName.replace("foxglove.", "");
  const ours = ajv.compile(JSON.parse(channel.schema));
  const theirs = channel.schemaName.startsWith("foxglove.") ? ajv.compile(published[name]) : () => true;
  return (message) => {
    for (const [whose, check] of [["its own", ours], ["the published", theirs]])
      if (!check(message))
        known.errors.push(`${channel.topic} against ${whose} schema: ${ajv.errorsText(check.errors).slice(0, 300)}`);
  };
}

function subscribe(channel) {
  if (subscriptions.has(channel.topic) || !(wanted.has("*") || wanted.has(channel.topic))) return;
  const id = client.subscribe(channel.id);
  subscriptions.set(channel.topic, id);
  bySubscription.set(id, channel);
}

const take = {
  "foxglove.FrameTransforms": (topic, message) => {
    for (const { parent_frame_id, child_frame_id, translation, rotation } of message.transforms)
      known.frames[child_frame_id] = [parent_frame_id, translation, rotation];
  },
  "foxglove.SceneUpdate": (topic, message) => {
    const entities = (known.entities[topic] ??= {});
    for (const { type, id } of message.deletions)
      if (type === 1) known.entities[topic] = {};
      else delete entities[id];
    for (const entity of message.entities) known.entities[topic][entity.id] = entity;
  },
  "foxglove.LocationFix": (topic, message) => { known.locations[topic] = message; },
  "foxglove.Log": (topic, message) => { known.logs.push(message.message); },
  "diorama.Property": (topic, message) => { known.values[topic] = message.values; },
};

client.on("open", () => { known.protocol = socket.protocol; });
client.on("serverInfo", (info) => { known.info = info; });
client.on("status", (status) => { known.statuses.push(status); });
client.on("error", (error) => { known.errors.push(`${error.message}`); });
client.on("close", (event) => { known.closed = event.code; });
client.on("advertise", (added) => {
  for (const channel of added) {
    channel.check = judge(channel);
    channels.set(channel.id, channel);
    known.channels[channel.topic] = channel.schemaName;
    subscribe(channel);
  }
});
client.on("unadvertise", (ids) => {
  for (const id of ids) {
    const { topic } = channels.get(id);
    channels.delete(id);
    delete known.channels[topic];
    subscriptions.delete(topic);
  }
});
client.on("message", ({ subscriptionId, timestamp, data }) => {
  const channel = bySubscription.get(subscriptionId);
  const message = JSON.parse(decoder.decode(data));
  channel.check(message);
  take[channel.schemaName](channel.topic, message);
  const counted = (known.counts[channel.topic] ??= { messages: 0, bytes: 0 });
  counted.messages++;
  counted.bytes += data.byteLength;
  known.newest_ns = String(timestamp);
});

const commands = {
  subscribe: ({ topics }) => {
    for (const topic of topics ?? ["*"]) wanted.add(topic);
    for (const channel of channels.values()) subscribe(channel);
  },
  unsubscribe: ({ topics }) => {
    for (const topic of topics) {
      client.unsubscribe(subscriptions.get(topic));
      subscriptions.delete(topic);
      wanted.delete(topic);
    }
  },
  send: ({ text }) => { socket.send(text); },
  pause: () => { socket.pause(); },
  resume: () => { socket.resume(); },
  state: () => {},
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const command = JSON.parse(line);
  commands[command.do](command);
  const only = command.only;
  const shown = only ? Object.fromEntries(only.map((name) => [name, known[name]])) : known;
  process.stdout.write(`${JSON.stringify(shown)}\n`);
}).on("close", () => process.exit(0));
