// A player for `process:` in JavaScript: any legal move, drawn by the seed that comes with the decision.
//
// scotyard match --mr-x "process:node examples/bot.mjs" --detectives greedy
import { createInterface } from "node:readline";

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === "decide") {
    const legal = message.frame.legal;
    console.log(JSON.stringify({ move: legal[message.seed % legal.length] }));
  }
}
