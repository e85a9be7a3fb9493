import type { RequestListener } from 'node:http';
import { locations, positions, readFilter, skills, STATES } from './data.js';

// Named in a variable, because its types would bring those of browsers into every file.
const PACKAGE: string = 'graphql-yoga';
const { createSchema, createYoga } = await import(PACKAGE);

const typeDefs = `
  enum Status { ${STATES.join(' ')} }
  type Skill { id: ID! name: String! }
  type Location { id: ID! name: String! country: String }
  type Position {
    id: ID! title: String! staffing_status: Status! day_rate: Float starts_on: String location: Location skills: [Skill]!
  }
  type Positions { nodes: [Position!]! }
  type Query { positions(filter: String!, first: Int = 20): Positions! }
`;

type Position = (typeof positions)[number];

/**
 * The same rows by graphql-yoga, as one would write it by hand with everything in memory: a map for each relation, the
 * rows of a customer found beforehand, hardly a filter to read, no credential to check; documents are parsed once.
 */
export function createPeer(): RequestListener {
  const locationOf = new Map(locations.map((location) => [location.id, location]));
  const skillOf = new Map(skills.map((skill) => [skill.id, skill]));
  const ofCustomer = new Map<string, Position[]>();
  for (const position of positions) {
    const { id } = position.customer;
    ofCustomer.set(id, [...(ofCustomer.get(id) ?? []), position]);
  }
  const resolvers = {
    Query: {
      positions(_: unknown, { filter, first }: { filter: string; first: number }) {
        const { customer, leastRate } = readFilter(filter);
        const nodes = (ofCustomer.get(customer) ?? []).filter(({ day_rate: rate }) => rate >= leastRate);
        return { nodes: nodes.slice(0, first) };
      },
    },
    Position: {
      location: ({ location }: Position) => locationOf.get(location.id),
      skills: (position: Position) => position.skills.map(({ id }) => skillOf.get(id)),
    },
  };
  const yoga = createYoga({
    schema: createSchema({ typeDefs, resolvers }),
    logging: false,
    graphiql: false,
    landingPage: false,
    graphqlEndpoint: '/v2/graphql',
  });
  return (req, res) => void yoga(req, res);
}
