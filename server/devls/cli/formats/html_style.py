"""How the page of findings looks, and what its filters do."""

from __future__ import annotations

from typing import Final

STYLE: Final = """
:root { color-scheme: light dark; --text: #1f2328; --dim: #59636e; --back: #fff; --panel: #f6f8fa; --line: #d1d9e0;
  --error: #b3261e; --warning: #8a5a00; --info: #0b62b8; --added: #dafbe1; --removed: #ffebe9; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --dim: #9198a1; --back: #0d1117; --panel: #161b22;
  --line: #3d444d; --error: #ff7b72; --warning: #e3a008; --info: #6cb6ff; --added: #12361f; --removed: #4a1a1a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 1.5rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--text);
  background: var(--back); }
h1 { margin: 0; font-size: 1.6rem; } header p { margin: .2rem 0 1rem; color: var(--dim); }
h2 { margin: 2rem 0 .5rem; font: 600 1.05rem ui-monospace, monospace; overflow-wrap: anywhere; }
h3 { margin: 0; font-size: 1rem; font-weight: 400; display: flex; flex-wrap: wrap; gap: .6rem; align-items: baseline; }
h4 { margin: 1rem 0 .3rem; font-size: .85rem; color: var(--dim); }
code, pre, .place { font-family: ui-monospace, monospace; font-size: .875em; }
.filters { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: 1rem; align-items: center;
  padding: .6rem 0; background: var(--back); border-bottom: 1px solid var(--line); }
.filters input[type=search] { flex: 1; min-width: 12rem; padding: .35rem .6rem; font: inherit; color: inherit;
  background: var(--panel); border: 1px solid var(--line); border-radius: 6px; }
.left { color: var(--dim); }
.overview { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 2rem; margin-top: 1rem; }
table { width: 100%; border-collapse: collapse; } th { text-align: left; font-size: .85rem; color: var(--dim); }
td { border-top: 1px solid var(--line); padding: .2rem 0; } .number { text-align: right; white-space: nowrap; }
meter { width: 5rem; height: .7rem; } meter::-webkit-meter-optimum-value { background: var(--dim); }
meter::-moz-meter-bar { background: var(--dim); } h4 + p { margin: .3rem 0; }
.pick { padding: 0; border: 0; background: none; font: .875rem ui-monospace, monospace; color: inherit; cursor: pointer;
  text-align: left; overflow-wrap: anywhere; } .pick:hover { text-decoration: underline; }
article { margin: 0 0 1rem; padding: 1rem 1.2rem; border: 1px solid var(--line); border-left-width: 4px;
  border-radius: 6px; scroll-margin-top: 4rem; }
article.error { border-left-color: var(--error); } article.warning { border-left-color: var(--warning); }
article.info { border-left-color: var(--info); }
.error .level, label.error { color: var(--error); } .warning .level, label.warning { color: var(--warning); }
.info .level, label.info { color: var(--info); } .level { font-weight: 600; }
a { color: inherit; } .place { color: var(--dim); overflow-wrap: anywhere; } .message { margin: .5rem 0; }
.about { margin: 1rem 0 0; color: var(--dim); font-size: .9rem; }
ol { margin: 0; padding-left: 1.4rem; } li { margin: .3rem 0; }
pre { margin: .4rem 0; padding: .5rem 0; overflow-x: auto; background: var(--panel); border-radius: 6px; }
.line { display: block; min-width: max-content; padding-right: 1rem; white-space: pre; min-height: 1.5em; }
.line i { display: inline-block; width: 3.5rem; padding-right: 1rem; text-align: right; font-style: normal;
  color: var(--dim); user-select: none; }
mark { color: inherit; background: none; border-bottom: 2px solid; } mark.error { border-color: var(--error); }
mark.warning { border-color: var(--warning); } mark.info, mark.related { border-color: var(--info); }
.added { background: var(--added); } .removed { background: var(--removed); }
.map { margin: 0 0 1rem; padding: .6rem 1.2rem; border: 1px solid var(--line); border-radius: 6px; overflow-x: auto; }
.map summary { cursor: pointer; color: var(--dim); } .map[open] summary { margin-bottom: .6rem; } .map ul { padding-left: 1.2rem; }
svg rect { fill: var(--panel); stroke: var(--line); } svg .loss rect { stroke: var(--info); } svg path { fill: none; stroke: var(--info);
  stroke-width: 1.5; } svg .cut { stroke: var(--error); stroke-dasharray: 7 4; } svg .unknown { stroke: var(--dim);
  stroke-dasharray: 2 4; } svg text { fill: var(--text); font: 13px ui-monospace, monospace; } svg .below { fill: var(--dim);
  font: 11px system-ui, sans-serif; }
[hidden] { display: none; } footer { margin-top: 2rem; color: var(--dim); font-size: .85rem; }
"""

SCRIPT: Final = """
const form = document.querySelector(".filters");
if (form) {
  const findings = [...document.querySelectorAll("article")];
  const apply = () => {
    const data = new FormData(form), levels = data.getAll("level");
    const words = data.get("words").toLowerCase().split(/\\s+/).filter(Boolean);
    let shown = 0;
    for (const each of findings) {
      const head = (each.querySelector("h3").textContent + each.querySelector(".message").textContent).toLowerCase();
      each.hidden = !levels.includes(each.dataset.level) || !words.every((word) => head.includes(word));
      shown += !each.hidden;
    }
    for (const head of document.querySelectorAll("h2")) {
      let next = head.nextElementSibling, any = false;
      while (next?.tagName === "ARTICLE") { any ||= !next.hidden; next = next.nextElementSibling; }
      head.hidden = !any;
      if (next?.tagName === "DETAILS") next.hidden = !any;
    }
    form.querySelector(".left").textContent = shown === findings.length ? "" : `${shown} of ${findings.length} shown`;
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const each of document.querySelectorAll(".pick")) {
    each.addEventListener("click", () => { form.elements.words.value = each.textContent; apply(); });
  }
}
"""
