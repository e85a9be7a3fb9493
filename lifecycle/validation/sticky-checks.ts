import type { Findings } from '../../platform/kinds/findings.js';
import type { Sticky } from '../kinds/route.js';

/** A name of a header or a cookie (RFC 9110, section 5.6.2). */
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
/** Headers that carry a credential, or that belong to one connection: no name of a caller. */
const UNFIT = /^(authorization|cookie|host|content-length|connection|transfer-encoding|upgrade)$/i;
const LONGEST_FIELD = 256;
const MOST_STEPS = 10;

/** Checks by what a route keeps callers at their deployment. */
export function checkSticky(findings: Findings, sticky: Sticky): void {
  if (findings.misfit('spec.sticky')) return;
  if (Object.keys(sticky).length > 1) {
    return findings.add('spec.sticky', 'ambiguous', 'sticky takes one of header, cookie and field');
  }
  const { header, cookie, field } = sticky;
  if (header !== undefined && (!TOKEN.test(header) || UNFIT.test(header))) {
    findings.add(
      'spec.sticky.header',
      'invalid',
      `sticky.header "${header}" is not the name of a header that may be used`,
    );
  }
  if (cookie !== undefined && !TOKEN.test(cookie)) {
    findings.add('spec.sticky.cookie', 'invalid', `sticky.cookie "${cookie}" is not a valid name of a cookie`);
  }
  if (field === undefined) return;
  const steps = field.split('.');
  if (field.length > LONGEST_FIELD || steps.length > MOST_STEPS || steps.includes('')) {
    findings.add(
      'spec.sticky.field',
      'invalid',
      `sticky.field "${field}" is not valid: write names with dots in between, such as customer.id or data.0.0, ${MOST_STEPS} at most`,
    );
  }
}
