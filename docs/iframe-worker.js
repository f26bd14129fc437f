// Browsers refuse to start a worker for a page that was opened from disk: there, what a worker would run runs in a
// hidden frame instead, so that the search of these pages works. The name tells Zensical that it needs no other.
if (location.protocol === "file:") {
  const send = (data, receive) => {
    const event = new MessageEvent("message", { data: structuredClone(data) }); // as a worker gets it: a copy, later
    setTimeout(() => receive(event));
  };
  window.Worker = class {
    constructor(address) {
      this.onmessage = null;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      this.inside = this.frame.contentWindow;
      this.inside.postMessage = (data) => send(data, (event) => this.onmessage?.(event));
      this.ready = new Promise((done, fail) => {
        const script = this.inside.document.createElement("script");
        script.src = new URL(address, location.href);
        script.onload = done;
        script.onerror = fail;
        this.inside.document.head.append(script);
      });
      this.ready.catch((error) => this.onerror?.(error));
    }

    postMessage(data) {
      this.ready.then(() => send(data, (event) => this.inside.onmessage?.(event)));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
