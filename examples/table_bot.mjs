// A whole player for a live table in JavaScript, without a library: any legal move.
//
// scotyard web --port 8420
// node examples/table_bot.mjs 'http://127.0.0.1:8420/table#TABLE/TOKEN'      # the link to a seat; Node 22
// node --experimental-websocket examples/table_bot.mjs LINK                   # Node 20, which hides its WebSocket
if (typeof WebSocket === "undefined") {
  console.error("this Node has no WebSocket: take Node 22, or node --experimental-websocket from 20.10 on");
  process.exit(1);
}
const page = new URL(process.argv[2]);
const [table, token = ""] = page.hash.slice(1).split("/");
const address = new URL(`ws/1/${table}`, page);
address.protocol = page.protocol === "https:" ? "wss:" : "ws:";
address.hash = "";

function play() {
  const socket = new WebSocket(address);
  const say = (message) => socket.send(JSON.stringify(message));
  socket.onopen = () => say({ type: "hello", token });
  socket.onclose = () => setTimeout(play, 1000); // a move that is sent again changes nothing
  socket.onerror = () => {}; // it is closed then
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    if (message.type === "frame" && message.legal.length > 0) { // it is our turn
      say({ type: "move", n: message.n, move: message.legal[message.n % message.legal.length] });
    } else if (message.type === "over") {
      console.log(`${message.winner} won`);
      process.exit(0);
    } else if (message.type === "error" && ["unknown_table", "no_entry"].includes(message.code)) {
      console.error(`the link opens no seat: ${message.code}`);
      process.exit(1);
    }
  };
}

play();
