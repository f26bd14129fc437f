// The connection to a table: says hello, tries again when it is lost, and sends a move again that nobody has acknowledged.

const SOON = 400, LATE = 4000; // milliseconds between attempts

export class TableSocket {
  /**
   * @param {string} table
   * @param {string} token
   * @param {(message: any) => void} hear
   * @param {(isOpen: boolean) => void} change
   */
  constructor(table, token, hear, change) {
    this.table = table;
    this.token = token;
    this.hear = hear;
    this.change = change;
    this.delay = SOON;
    this.isRefused = false;
    this.open();
  }

  open() {
    const address = new URL(`ws/1/${this.table}`, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    address.hash = "";
    this.socket = new WebSocket(address);
    this.socket.addEventListener("open", () => this.say({ type: "hello", token: this.token }));
    this.socket.addEventListener("message", (event) => this.receive(JSON.parse(event.data)));
    this.socket.addEventListener("close", () => this.reopen());
  }

  /** @param {any} message */
  receive(message) {
    if (message.type === "welcome") {
      this.delay = SOON;
      this.change(true);
    }
    this.isRefused = message.type === "error" && ["unknown_table", "no_entry"].includes(message.code);
    this.hear(message);
  }

  reopen() {
    if (this.isRefused) return; // what was heard says why
    this.change(false);
    setTimeout(() => this.open(), this.delay);
    this.delay = Math.min(LATE, 2 * this.delay);
  }

  /** Say something; tell whether there was somebody to hear it. @param {object} message */
  say(message) {
    const isOpen = this.socket?.readyState === WebSocket.OPEN;
    if (isOpen) this.socket?.send(JSON.stringify(message));
    return isOpen;
  }

  /** Hang up, and try again as after a lost connection. */
  hangUp() {
    this.socket?.close();
  }
}
