import { forgetMemory } from './forget-memory.ts';
import { manageLongTermMemory } from './manage-notes.ts';
import { saveToCore, saveToJournal, saveToWhiteboard } from './private-memory.ts';
import { retrieveMemory } from './retrieve-memory.ts';
import { listMemories, searchMemory } from './search-memory.ts';
import { storeMemory } from './store-memory.ts';
import type { Tool } from './tool.ts';
import { updateMemory } from './update-memory.ts';

/** The tools that every agent is offered, always in this order: a list that is sent to a model must not change from turn to turn. */
export const TOOLS: readonly Tool[] = [
  manageLongTermMemory,
  saveToJournal,
  saveToCore,
  storeMemory,
  retrieveMemory,
  searchMemory,
  updateMemory,
  listMemories,
  forgetMemory,
];

/** Tools that an agent is offered only when its `enabled_tools` name them. */
export const OPTIONAL_TOOLS: readonly Tool[] = [saveToWhiteboard];

/** Those that an agent may use. */
export function toolsNamed(names: readonly string[]): readonly Tool[] {
  return [...TOOLS, ...OPTIONAL_TOOLS].filter(({ name }) => names.includes(name));
}

export { findProposals, sectionOf } from './find-proposals.ts';
export type { GoingText } from './going-texts.ts';
export { NotesShown } from './notes-shown.ts';
export { memoryOfAnyType, type RememberedMemory } from './shown-memory.ts';
export { inputSchemaOf, refusedInput, type Tool, type ToolAnnotations, type ToolResult } from './tool.ts';
export type { ForgetReport, FoundMemories, ToolLayers, ToolScope, UserMemories } from './tool-scope.ts';
