/** Every port of a development installation: its default, and its place above `SLIPWAY_PORT_BASE` when that is set. */
// prettier-ignore
const PORTS = {
  gateway:         { standard: 8080,      offset: 0 },
  api:             { standard: 8081,      offset: 1 },
  temporal:        { standard: undefined, offset: 2 }, // temporal-dev.yaml says
  temporalUi:      { standard: undefined, offset: 3 }, // temporal-dev.yaml says
  mongodb:         { standard: 27_017,    offset: 4 },
  storage:         { standard: 4443,      offset: 5 },
  registry:        { standard: 5000,      offset: 6 },
  issuer:          { standard: 9000,      offset: 7 },
  apiInternal:     { standard: 8082,      offset: 8 }, // health and metrics
  gatewayInternal: { standard: 8083,      offset: 9 }, // health and metrics
} as const;
export type PortName = keyof typeof PORTS;
export type Ports = Readonly<Record<PortName, number>>;

/** Ports from `base` to `base + 9` belong to one installation. */
export const PORTS_PER_INSTALLATION = 10;

export function choosePorts(base: number | undefined, declared: Pick<Ports, 'temporal' | 'temporalUi'>): Ports {
  const entries = Object.entries(PORTS).map(([name, { standard, offset }]) => [
    name,
    base === undefined ? standard : base + offset,
  ]);
  const chosen = Object.fromEntries(entries) as Ports; // the keys are those of PORTS
  return base === undefined ? { ...chosen, ...declared } : chosen;
}

/** The settings of the platform's own processes on these ports. */
export const processSettings = (ports: Ports) => ({
  SLIPWAY_GATEWAY_PORT: String(ports.gateway),
  SLIPWAY_API_PORT: String(ports.api),
  SLIPWAY_API_INTERNAL_PORT: String(ports.apiInternal),
  SLIPWAY_GATEWAY_INTERNAL_PORT: String(ports.gatewayInternal),
  SLIPWAY_BASE_URL: `http://127.0.0.1:${ports.gateway}`,
});

/** The addresses of the embedded services on these ports, by the setting that has another service instead. */
export const serviceSettings = (ports: Ports) => ({
  TEMPORAL_ADDRESS: {
    TEMPORAL_ADDRESS: `127.0.0.1:${ports.temporal}`,
    SLIPWAY_TEMPORAL_UI_URL: `http://127.0.0.1:${ports.temporalUi}`,
  },
  STORAGE_API_ENDPOINT: { STORAGE_API_ENDPOINT: `http://127.0.0.1:${ports.storage}` },
  SLIPWAY_REGISTRY: { SLIPWAY_REGISTRY: `127.0.0.1:${ports.registry}/slipway` },
  OIDC_ISSUER: { OIDC_ISSUER: `http://127.0.0.1:${ports.issuer}` },
});
