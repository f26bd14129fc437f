// Where cells wrap, a rate keeps its sign and an interval both its ends (12.5 % / [9.4, 15.8]), and long names of
// policies and other things break after a sign (bristol_ / detectives: / version=1), so that tables fit the page.
for (const cell of document.querySelectorAll("article th, article td, article td code")) {
  for (const node of [...cell.childNodes]) {
    if (node.nodeType === Node.TEXT_NODE) {
      const text = node.data
        .replace(/(\d) (%|us|ms|s\b)/g, "$1\u00a0$2")
        .replace(/\[([^\]\s]+), ([^\]\s]+)\]/g, "[$1,\u00a0$2]");
      const parts = text.split(/(?<=[a-z][_:=,/.+-])(?=\w)/);
      node.replaceWith(...parts.flatMap((part, place) => (place ? [document.createElement("wbr"), part] : [part])));
    }
  }
}
