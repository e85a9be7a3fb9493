/** An interactive page. Its files come from swagger-ui-dist and are served beside it: nothing is fetched from elsewhere. */
const swaggerPage = (title: string, definition: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <link rel="icon" type="image/png" href="./favicon-32x32.png" />
    <link rel="stylesheet" href="./swagger-ui.css" />
    <link rel="stylesheet" href="./page.css" />
  </head>
  <body>
    <nav>
      <a href="./index.html">Management API</a>
      <a href="./reference.html">Reference data</a>
    </nav>
    <output id="outages"></output>
    <div id="swagger-ui" data-definition="${definition}"></div>
    <script src="./swagger-ui-bundle.js"></script>
    <script src="./page.js"></script>
  </body>
</html>
`;
/** By file name. */
export const SWAGGER_PAGES: Readonly<Record<string, string>> = {
  'index.html': swaggerPage('Slipway management API', './data.json'),
  'reference.html': swaggerPage('Slipway reference data', '../v2/openapi.json'),
};

// A script of its own, because the page's content security policy allows none inside the page.
export const PAGE_SCRIPT = `const NO_REPLY =
  "The issuer did not answer this page: it is down, or it does not allow requests from here (CORS). " +
  "Get a token in another way and paste it under bearer.";

// Issuers know clients that send their secret in the form; and a request without headers of its own needs no preflight.
function sendCredentialsInForm(request) {
  const basic = /^Basic (.+)$/.exec(request.headers?.Authorization ?? "")?.[1];
  if (basic === undefined) return request;
  const bytes = Uint8Array.from(atob(basic), (character) => character.charCodeAt(0));
  const [, id, secret] = /^([^:]*):([^]*)$/.exec(new TextDecoder().decode(bytes));
  const form = new URLSearchParams(request.body);
  if (form.get("scope") === "") form.delete("scope");
  form.set("client_id", id);
  form.set("client_secret", secret);
  return { ...request, headers: { "Content-Type": "application/x-www-form-urlencoded" }, body: form.toString() };
}

// A request that the browser does not let through is a TypeError whose message does not name the cause.
const explainFailedLogin = () => ({
  statePlugins: {
    err: {
      wrapActions: {
        newAuthErr: (report) => (error) =>
          report(/^TypeError/.test(error.message) ? { ...error, message: NO_REPLY } : error),
      },
    },
  },
});

const definition = document.getElementById("swagger-ui").dataset.definition;

// The document of reference data has more in it for those who may read more.
async function readAgain({ authSelectors, errActions, specActions }) {
  const credentials = Object.entries(authSelectors.authorized().toJS());
  const headers = Object.fromEntries(
    credentials.flatMap(([, { schema, value, token }]) => {
      if (schema.type === "apiKey") return [[schema.name, value]];
      if (schema.type === "oauth2") return token ? [["Authorization", "Bearer " + token.access_token]] : [];
      return schema.type === "http" ? [["Authorization", "Bearer " + value]] : [];
    }),
  );
  const reply = await fetch(definition, { headers });
  const text = await reply.text();
  errActions.clear({ source: "auth" });
  if (reply.ok) return specActions.updateSpec(text);
  const message = JSON.parse(text).detail;
  for (const [authId] of credentials) errActions.newAuthErr({ authId, source: "auth", level: "error", message });
}
const thenReadAgain = (action, system) => (credentials) => {
  action(credentials);
  readAgain(system);
};
const readAgainWhenKnown = () => ({
  statePlugins: { auth: { wrapActions: { authorize: thenReadAgain, authorizeOauth2: thenReadAgain, logout: thenReadAgain } } },
});

// Names the services that are down. /health wants a token, so there is nothing to show before the login.
async function showOutages() {
  const credentials = Object.values(window.ui.authSelectors.authorized().toJS());
  const [token] = credentials.flatMap(({ schema, value, token }) =>
    schema.type === "http" ? [value] : schema.type === "oauth2" ? [token.access_token] : [],
  );
  const line = document.getElementById("outages");
  if (token === undefined) return void (line.textContent = "");
  const reply = await fetch("../health", { headers: { Authorization: "Bearer " + token } }).catch(() => undefined);
  const { down = [] } = reply?.ok ? await reply.json() : {};
  const names = down.map(({ name, reason }) => name + " (" + reason + ")");
  if (reply === undefined || reply.status >= 500) names.push("API");
  line.textContent = names.length === 0 ? "" : "Down: " + names.join(", ");
}
setInterval(showOutages, 5_000);

window.ui = SwaggerUIBundle({
  url: definition,
  dom_id: "#swagger-ui",
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: "none",
  filter: true,
  persistAuthorization: false,
  plugins: [explainFailedLogin, readAgainWhenKnown],
  requestInterceptor: sendCredentialsInForm,
  validatorUrl: null,
});
`;

export const PAGE_STYLE = `nav { max-width: 1460px; margin: 0 auto; padding: 16px 20px 0; font-family: sans-serif; }
output { display: block; max-width: 1460px; margin: 0 auto; padding: 0 20px; font-family: sans-serif; color: #b00020; }
nav a { margin-right: 16px; color: #3b4151; }
.swagger-ui .topbar { display: none; }
.swagger-ui .info { margin: 24px 0; }
/* This installation is the only server, and its login knows no scopes. */
.swagger-ui .schemes-server-container > :not(.auth-wrapper), .swagger-ui .scope-def { display: none; }
.swagger-ui .scheme-container { padding: 12px 0; }
`;

/** Files of swagger-ui-dist that the page loads. */
// prettier-ignore
export const SWAGGER_FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css':       'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png':    'image/png',
};
