import { expect, test } from 'vitest';
import { EditAutomaton } from '../../../reference/lookup/edit-automaton.js';
import { allowedEdits, editBudget } from '../../../reference/lookup/typos.js';
import { editDistance } from './edit-distance.js';
import { createTexts } from './small-segment.js';

/** The states along a path, the start first. */
function statesOf(automaton: EditAutomaton, path: string, budget: number): number[] {
  const states = [automaton.start(budget)];
  for (let at = 0; at < path.length; at += 1) {
    states.push(automaton.follow(states[at] ?? 0, at, path.charCodeAt(at), budget));
  }
  return states;
}

test.each([0, 1, 2])('with a budget of %i it counts the edits of every prefix of a path', (budget) => {
  const { word } = createTexts(31 + budget);
  let within = 0;
  for (let round = 0; round < 200; round += 1) {
    const [typed, path] = [word(8), word(9)];
    const automaton = new EditAutomaton(typed);
    for (const [length, state] of statesOf(automaton, path, budget).entries()) {
      const distance = editDistance(typed, path.slice(0, length));
      const expected = distance <= budget ? distance : Infinity;
      const edits = automaton.edits(state, length);
      if (edits !== expected) expect([typed, path.slice(0, length), edits]).toEqual(expected);
      if (expected < Infinity) within += 1;
    }
  }
  expect(within).toBeGreaterThan(5); // distances that are all out of budget would prove nothing
});

test('a state of 0 means that no longer path fits', () => {
  const { word } = createTexts(41);
  for (let round = 0; round < 300; round += 1) {
    const [typed, path, rest] = [word(6), word(6), word(3)];
    const states = statesOf(new EditAutomaton(typed), path, 2);
    if (states.at(-1) === 0) expect(editDistance(typed, path + rest)).toBeGreaterThan(2);
  }
});

test('when all edits are spent, the listed letters are the only ones that continue', () => {
  const { word } = createTexts(42);
  let spent = 0;
  for (let round = 0; round < 500; round += 1) {
    const [typed, path] = [word(6), word(6)];
    const automaton = new EditAutomaton(typed);
    for (const budget of [1, 2]) {
      const state = statesOf(automaton, path, budget).at(-1) ?? 0;
      if (state === 0 || automaton.canEdit(state, budget)) continue;
      spent += 1;
      const listed = new Set<number>();
      for (let positions = automaton.positionsAfter(state, budget); positions !== 0;) {
        const letter = automaton.letterOf(positions, path.length);
        positions &= ~automaton.same(path.length, letter);
        listed.add(letter);
      }
      for (const letter of ['a', 'b', 'c', 'x']) {
        const goesOn = automaton.follow(state, path.length, letter.charCodeAt(0), budget) !== 0;
        if (goesOn) expect(listed).toContain(letter.charCodeAt(0));
      }
    }
  }
  expect(spent).toBeGreaterThan(25);
});

test.each([
  ['london', 'lnodon', 1], // two neighbors crossed
  ['london', 'londn', 1],
  ['london', 'londdon', 1],
  ['london', 'lxndon', 1],
  ['ab', 'ba', 1],
  ['ca', 'abc', Infinity], // an edit between crossed letters is none of an alignment
  ['', 'ab', 2],
  ['ab', '', 2],
])('%j and %j are %d edits apart', (typed, path, edits) => {
  const automaton = new EditAutomaton(typed);
  expect(automaton.edits(statesOf(automaton, path, 2).at(-1) ?? 0, path.length)).toBe(edits);
});

test.each([
  [0, 0, 0, 0],
  [3, 0, 0, 0],
  [4, 1, 1, 0],
  [6, 1, 1, 0],
  [7, 2, 1, 0],
  [40, 2, 1, 0],
])('a word of %i letters allows %i edits; with one typo %i, and %i where the first letter differs', (...row) => {
  const [length, allowed, same, different] = row;
  expect(allowedEdits(length)).toBe(allowed);
  expect(editBudget(length, true, 1)).toBe(same);
  expect(editBudget(length, false, 1)).toBe(different);
  expect(editBudget(length, true, 2)).toBe(allowed);
  expect(editBudget(length, false, 2)).toBe(Math.min(allowed, 1));
});
