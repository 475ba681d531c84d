/**
 * For the authors of stores and their tests: the suite that every store passes, the suite that the whole memory passes
 * on it, a clock to move, a file system that fails where a test wants it, and a disk that loses its power.
 */
export {
  type ConformanceRunner,
  type StoreFixture,
  type StoreHarness,
  storeConformance,
} from './conformance.ts';
export { FakeClock } from './fake-clock.ts';
export {
  createFaultFileSystem,
  FAULTY_CALLS,
  type Fault,
  type FaultFileSystem,
  type FaultyCall,
  LOOKING_CALLS,
  type LookingCall,
  systemError,
} from './fault-file-system.ts';
export { memoryConformance } from './memory-conformance.ts';
export { SimulatedDisk, type SimulatedProcess } from './simulated-disk.ts';
export { SynonymEmbedder, type SynonymEmbedderOptions } from './synonym-embedder.ts';
