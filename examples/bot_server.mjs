// A player for `remote:` in JavaScript: any legal move, drawn by the seed that comes with the decision.
//
// node examples/bot_server.mjs 8421
// scotyard match --mr-x remote:ws://127.0.0.1:8421 --detectives greedy
//
// Node has no WebSocket server of its own. This one speaks as much of the protocol as our side needs, which sends whole
// messages, neither pings nor compression; with the package `ws` a server is three lines.
import { createHash } from "node:crypto";
import { createServer } from "node:http";

const MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // of RFC 6455
const TEXT = 1, CLOSE = 8; // kinds of frames

function answer(text) {
  const message = JSON.parse(text);
  if (message.type !== "decide") return null; // a hello needs no answer
  const legal = message.frame.legal;
  return JSON.stringify({ move: legal[message.seed % legal.length] });
}

// Take the first frame off some bytes: its kind, what is in it, and the bytes behind it; null if it is not whole yet.
function takeFrame(bytes) {
  if (bytes.length < 2) return null;
  const short = bytes[1] & 127;
  const start = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < start + 4) return null;
  const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  const end = start + 4 + length; // four bytes of mask, then the content
  if (bytes.length < end) return null;
  const mask = bytes.subarray(start, start + 4);
  const content = Buffer.from(bytes.subarray(start + 4, end).map((byte, at) => byte ^ mask[at % 4]));
  return { kind: bytes[0] & 15, content, rest: bytes.subarray(end) };
}

// Write a frame of at most 125 bytes, as answers are.
const frame = (kind, content) => Buffer.concat([Buffer.from([128 | kind, content.length]), content]);

const server = createServer((_, response) => response.writeHead(426).end());
server.on("upgrade", (request, socket) => {
  if (request.headers.origin) return socket.destroy(); // a page in a browser, which has no business here
  const accept = createHash("sha1").update(request.headers["sec-websocket-key"] + MAGIC).digest("base64");
  const upgrade = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
  socket.write([...upgrade, `Sec-WebSocket-Accept: ${accept}`, "Sec-WebSocket-Protocol: scotyard-bot-1", "", ""].join("\r\n"));
  let waiting = Buffer.alloc(0);
  socket.on("error", () => socket.destroy());
  socket.on("data", (bytes) => {
    waiting = Buffer.concat([waiting, bytes]);
    for (let found; (found = takeFrame(waiting)); waiting = found.rest) {
      if (found.kind === CLOSE) return socket.end(frame(CLOSE, found.content));
      const said = found.kind === TEXT ? answer(found.content.toString()) : null;
      if (said !== null) socket.write(frame(TEXT, Buffer.from(said)));
    }
  });
});
server.listen(Number(process.argv[2] ?? 8421), "127.0.0.1", () =>
  console.log(`plays at ws://127.0.0.1:${server.address().port}`));
