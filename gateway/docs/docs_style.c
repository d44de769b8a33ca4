// docs_style.c - the style sheet of the page that describes the interface, light and dark.
#include "gateway/docs/docs_style.h"

static const char style[] =
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1c2128;--faint:#66707b;--line:#dfe3e8;"
    "--soft:#f5f7f9;--accent:#0b62c4;--get:#1a7f4b;--post:#0b62c4;--put:#9a5b00;--delete:#c0322b}"
    "@media(prefers-color-scheme:dark){:root{--paper:#14171c;--ink:#e4e8ee;--faint:#98a2b0;"
    "--line:#2c323b;--soft:#1c2128;--accent:#6cb0ff;--get:#5ccb8e;--post:#6cb0ff;--put:#e5ad55;"
    "--delete:#ff8a80}}"
    "*{box-sizing:border-box}html{scroll-behavior:smooth;scroll-padding-top:1rem}"
    "body{margin:0;background:var(--paper);color:var(--ink);"
    "font:16px/1.55 system-ui,-apple-system,'Segoe UI',sans-serif}"
    "a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}"
    "code,.path,.method{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;"
    "font-size:.9em}"
    "nav{position:fixed;inset:0 auto 0 0;width:17rem;overflow-y:auto;padding:1.5rem;"
    "background:var(--soft);border-right:1px solid var(--line);font-size:.9rem}"
    "nav h2{font-size:.8rem;letter-spacing:.06em;text-transform:uppercase;margin:1.4rem 0 .3rem}"
    "nav ul{list-style:none;margin:0;padding:0}nav li{margin:.15rem 0;white-space:nowrap;"
    "overflow:hidden;text-overflow:ellipsis}"
    "main{margin-left:17rem;padding:2rem 3rem 6rem;max-width:68rem}"
    "h1{font-size:2rem;margin:.2rem 0}h1 small{color:var(--faint);font-size:1rem;"
    "font-weight:normal}"
    "section>h2{margin:3.5rem 0 .3rem;font-size:1.5rem;text-transform:capitalize}"
    ".lead{color:var(--faint);margin-top:.2rem}"
    "article{border:1px solid var(--line);border-radius:.6rem;padding:1rem 1.2rem;margin:1.2rem 0}"
    "article h3{margin:0;font-size:1.02rem;font-weight:600;overflow-wrap:anywhere}"
    "article>p{margin:.5rem 0}"
    ".method{display:inline-block;min-width:4.6rem;font-weight:700}"
    ".GET{color:var(--get)}.POST{color:var(--post)}.PUT{color:var(--put)}"
    ".DELETE{color:var(--delete)}"
    "table{border-collapse:collapse;width:100%;margin:.5rem 0;font-size:.92rem;display:block;"
    "overflow-x:auto}"
    "th{color:var(--faint);font-weight:600;text-align:left;font-size:.82rem}"
    "th,td{padding:.35rem .9rem .35rem 0;border-bottom:1px solid var(--line);vertical-align:top}"
    "tr:last-child td{border-bottom:0}"
    "b.part{display:block;margin-top:.8rem;font-size:.82rem;color:var(--faint)}"
    "details{margin-top:.8rem}summary{cursor:pointer;color:var(--faint);font-size:.88rem}"
    ".note{color:var(--faint)}"
    "pre{background:var(--soft);border-radius:.4rem;padding:.7rem .9rem;margin:.6rem 0;"
    "font:.85rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre-wrap;"
    "overflow-wrap:anywhere;max-height:24rem;overflow-y:auto}"
    "input,textarea,button{font:inherit;font-size:.9rem;color:inherit;background:var(--paper);"
    "border:1px solid var(--line);border-radius:.4rem;padding:.35rem .6rem;max-width:100%}"
    "nav input{width:100%}nav .note{margin:.3rem 0 0;min-height:1.4em}"
    "button{cursor:pointer;color:var(--accent);font-weight:600}"
    ":focus-visible{outline:2px solid var(--accent);outline-offset:1px}"
    "form{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:.6rem 0}"
    "form input{flex:1 1 14rem;font-family:ui-monospace,Menlo,Consolas,monospace}"
    "form textarea,form pre{flex:1 0 100%;margin:0}"
    "form textarea{font-family:ui-monospace,Menlo,Consolas,monospace}[hidden]{display:none}"
    "@media(max-width:60rem){nav{position:static;width:auto;border-right:0;"
    "border-bottom:1px solid var(--line)}main{margin:0;padding:1.2rem}}";

fallible
docs_style_print(const struct probe *probe, struct buffer *out)
{
    (void)probe;
    buffer_put(out, style, sizeof style - 1);
    return OK;
}
