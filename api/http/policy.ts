import type { PlatformRole } from '../../platform/kinds/roles.js';

/** The callers that a route admits: a list of roles, `anyone` with a valid token, or `open` without a token. */
type Admitted = readonly PlatformRole[] | 'anyone' | 'open';

const ADMIN = ['admin'] as const;
const TEAM = ['admin', 'data_scientist'] as const;
const ALL = ['admin', 'data_scientist', 'viewer'] as const;

/** Every route and the callers that it admits. A route without a row is refused; a test compares router and table. */
// prettier-ignore
const POLICY: Readonly<Record<string, Admitted>> = {
  'GET /':                                          'open',
  'GET /swagger':                                   'open',
  'GET /swagger/index.html':                        'open',
  'GET /swagger/reference.html':                    'open',
  'GET /swagger/page.js':                           'open',
  'GET /swagger/page.css':                          'open',
  'GET /swagger/data.json':                         'open',
  'GET /swagger/:file':                             'open',
  'GET /health':                                    'anyone',
  'GET /api/v1/user/info':                          'anyone',
  'GET /api/v1/configuration':                      ALL,
  'GET /api/v1/quota':                              ALL,
  'GET /api/v1/audit':                              ADMIN,
  'GET /api/v1/lineage/:kind/:id':                  ALL,
  'GET /api/v1/record/:id':                         TEAM,
  'GET /api/v1/image/verification':                 ALL,
  'GET /.well-known/attestation-keys':              'open',
  'GET /.well-known/attestation-keys.pem':          'open',

  'GET /api/v1/connection':                         ALL,
  'POST /api/v1/connection':                        ADMIN,
  'PUT /api/v1/connection':                         ADMIN,
  'GET /api/v1/connection/:id':                     ALL,
  'DELETE /api/v1/connection/:id':                  ADMIN,
  'GET /api/v1/connection/:id/decrypted':           ADMIN,
  'POST /api/v1/connection/:id/test':               ADMIN,

  'GET /api/v1/toolchain/integration':              ALL,
  'POST /api/v1/toolchain/integration':             ADMIN,
  'PUT /api/v1/toolchain/integration':              ADMIN,
  'GET /api/v1/toolchain/integration/:id':          ALL,
  'DELETE /api/v1/toolchain/integration/:id':       ADMIN,

  'GET /api/v1/packaging/integration':              ALL,
  'POST /api/v1/packaging/integration':             ADMIN,
  'PUT /api/v1/packaging/integration':              ADMIN,
  'GET /api/v1/packaging/integration/:id':          ALL,
  'DELETE /api/v1/packaging/integration/:id':       ADMIN,

  'GET /api/v1/model/training':                     ALL,
  'POST /api/v1/model/training':                    TEAM,
  'PUT /api/v1/model/training':                     TEAM,
  'GET /api/v1/model/training/:id':                 ALL,
  'DELETE /api/v1/model/training/:id':              TEAM,
  'GET /api/v1/model/training/:id/log':             ALL,
  'POST /api/v1/model/training/:id/cancel':         TEAM,
  'POST /api/v1/model/training/:id/rerun':          TEAM,

  'GET /api/v1/model/packaging':                    ALL,
  'POST /api/v1/model/packaging':                   TEAM,
  'PUT /api/v1/model/packaging':                    TEAM,
  'GET /api/v1/model/packaging/:id':                ALL,
  'DELETE /api/v1/model/packaging/:id':             TEAM,
  'GET /api/v1/model/packaging/:id/log':            ALL,
  'POST /api/v1/model/packaging/:id/cancel':        TEAM,
  'POST /api/v1/model/packaging/:id/rerun':         TEAM,

  'GET /api/v1/model/deployment':                   ALL,
  'POST /api/v1/model/deployment':                  TEAM,
  'PUT /api/v1/model/deployment':                   TEAM,
  'GET /api/v1/model/deployment/:id':               ALL,
  'DELETE /api/v1/model/deployment/:id':            TEAM,
  'GET /api/v1/model/deployment/:id/default-route': ALL,
  'GET /api/v1/model/deployment/:id/log':           ALL,
  'GET /api/v1/model/deployment/:id/revision':      ALL,
  'POST /api/v1/model/deployment/:id/rollback':        TEAM,
  'POST /api/v1/model/deployment/:id/rollout/pause':   TEAM,
  'POST /api/v1/model/deployment/:id/rollout/resume':  TEAM,
  'POST /api/v1/model/deployment/:id/rollout/promote': TEAM,
  'POST /api/v1/model/deployment/:id/rollout/abort':   TEAM,
  'GET /api/v1/model/deployment/:id/metrics':       ALL,
  'GET /api/v1/model/deployment-metrics':           ALL,

  'GET /api/v1/model/deployment-events':            ALL,
  'GET /api/v1/model/route-events':                 ALL,

  'GET /api/v1/model/pipeline':                             ALL,
  'POST /api/v1/model/pipeline':                            TEAM,
  'PUT /api/v1/model/pipeline':                             TEAM,
  'GET /api/v1/model/pipeline/:id':                         ALL,
  'DELETE /api/v1/model/pipeline/:id':                      TEAM,
  'GET /api/v1/model/pipeline/:id/run':                     ALL,
  'POST /api/v1/model/pipeline/:id/run':                    TEAM,
  'GET /api/v1/model/pipeline/:id/run/:number':             ALL,
  'POST /api/v1/model/pipeline/:id/run/:number/cancel':     TEAM,
  'POST /api/v1/model/pipeline/:id/run/:number/retry':      TEAM,
  'POST /api/v1/model/pipeline/:id/run/:number/approve':    'anyone', // the run's own roles decide
  'POST /api/v1/model/pipeline/:id/run/:number/reject':     'anyone', // the run's own roles decide
  'GET /api/v1/model/pipeline/:id/schedule':                ALL,
  'POST /api/v1/model/pipeline/:id/schedule/pause':         TEAM,
  'POST /api/v1/model/pipeline/:id/schedule/resume':        TEAM,
  'POST /api/v1/model/pipeline/:id/schedule/trigger':       TEAM,
  'GET /api/v1/model/pipeline/:id/webhook':                 ADMIN, // shows a secret
  'POST /api/v1/model/pipeline/:id/webhook':                'open', // by its signature alone

  'GET /api/v1/batch/service':                      ADMIN,
  'POST /api/v1/batch/service':                     ADMIN,
  'PUT /api/v1/batch/service':                      ADMIN,
  'GET /api/v1/batch/service/:id':                  ADMIN,
  'DELETE /api/v1/batch/service/:id':               ADMIN,
  'GET /api/v1/batch/job':                          ADMIN,
  'POST /api/v1/batch/job':                         ADMIN,
  'GET /api/v1/batch/job/:id':                      ADMIN,
  'DELETE /api/v1/batch/job/:id':                   ADMIN,
  'GET /api/v1/batch/job/:id/log':                  ADMIN,
  'POST /api/v1/batch/job/:id/cancel':              ADMIN,
  'POST /api/v1/batch/job/:id/rerun':               ADMIN,

  'GET /api/v1/model/route':                        ALL,
  'POST /api/v1/model/route':                       ADMIN,
  'PUT /api/v1/model/route':                        ADMIN,
  'GET /api/v1/model/route/:id':                    ALL,
  'DELETE /api/v1/model/route/:id':                 ADMIN,
};

/** Routes of the table, for the test that compares it with the router. */
export const policyRoutes = Object.keys(POLICY);

export const isOpen = (route: string): boolean => POLICY[route] === 'open';

/** The roles that a route admits, when it admits by role. */
export function admittedTo(route: string): readonly string[] {
  const admitted = POLICY[route];
  return typeof admitted === 'string' ? [] : (admitted ?? []);
}

/** Denies a route that has no row. */
export function mayCall(route: string, roles: readonly string[]): boolean {
  const admitted = POLICY[route];
  if (admitted === undefined) return false;
  return admitted === 'anyone' || admitted === 'open' || admitted.some((role) => roles.includes(role));
}
