/** The interactive page. Its files come from swagger-ui-dist and are served beside it: nothing is fetched from elsewhere. */
export const SWAGGER_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Slipway management API</title>
    <link rel="icon" type="image/png" href="./favicon-32x32.png" />
    <link rel="stylesheet" href="./swagger-ui.css" />
    <link rel="stylesheet" href="./page.css" />
  </head>
  <body>
    <div id="swagger-ui" data-definition="./data.json"></div>
    <script src="./swagger-ui-bundle.js"></script>
    <script src="./page.js"></script>
  </body>
</html>
`;

// A script of its own, because the page's content security policy allows none inside the page.
export const PAGE_SCRIPT = `window.ui = SwaggerUIBundle({
  url: document.getElementById("swagger-ui").dataset.definition,
  dom_id: "#swagger-ui",
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: "none",
  filter: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`;

export const PAGE_STYLE = `.swagger-ui .topbar { display: none; }
.swagger-ui .info { margin: 24px 0; }
`;

/** Files of swagger-ui-dist that the page loads. */
// prettier-ignore
export const SWAGGER_FILES: Readonly<Record<string, string>> = {
  'swagger-ui.css':       'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png':    'image/png',
};
