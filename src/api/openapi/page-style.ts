/** Part of the page; the policy of /docs allows exactly this text. */
export const STYLE = `
:root { --ink: #1c2430; --soft: #5b6675; --line: #dde3ea; --back: #fff; --tint: #f5f7fa; --mark: #0b5cad; }
@media (prefers-color-scheme: dark) {
:root { --ink: #e4e9f0; --soft: #9aa6b5; --line: #2d3743; --back: #12171d; --tint: #1a2129; --mark: #6cb2ff; }
}
* { box-sizing: border-box; }
body {
  margin: 0;
  color: var(--ink);
  background: var(--back);
  font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif;
}
nav {
  position: fixed;
  inset: 0 auto 0 0;
  width: 15rem;
  overflow: auto;
  padding: 1.5rem;
  background: var(--tint);
}
nav a { display: block; padding: .2rem 0; }
main { margin-left: 15rem; padding: 1.5rem 2.5rem 6rem; max-width: 66rem; }
@media (max-width: 50rem) { nav { position: static; width: auto; } main { margin: 0; padding: 1rem; } }
h1 { margin: 0; }
h2 { margin: 3rem 0 .5rem; border-bottom: 1px solid var(--line); }
h4 { margin: 1.2rem 0 .3rem; }
a { color: var(--mark); text-decoration: none; } a:hover { text-decoration: underline; }
code, pre { font: 13px/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
pre {
  padding: .8rem;
  overflow: auto;
  max-height: 26rem;
  background: var(--tint);
  border: 1px solid var(--line);
  border-radius: 4px;
}
table { border-collapse: collapse; width: 100%; }
th, td { padding: .35rem .6rem .35rem 0; text-align: left; vertical-align: top; }
tr { border-bottom: 1px solid var(--line); } th { font-weight: normal; white-space: nowrap; }
small, .says { color: var(--soft); }
summary { cursor: pointer; }
.operation { margin: .5rem 0; padding: .5rem .8rem; border: 1px solid var(--line); border-radius: 4px; }
.method {
  display: inline-block;
  width: 4.2rem;
  text-align: center;
  border-radius: 3px;
  color: #fff;
  font-weight: 600;
  font-size: 12px;
}
.get { background: #2c6fb3; }
.post, .patch { background: #2d7a4b; }
.delete { background: #a8322d; }
.event { background: #6a4ba0; }
.answer { margin: 0; padding: .15rem 0; }
p.answer { padding-left: 1rem; }
.good b { color: #2d7a4b; }
.bad b { color: #b0473f; }
`;
