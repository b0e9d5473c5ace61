import { describe } from 'vitest';
import { memoryUnderTest } from './memory-under-test.ts';
import { operationsConformance } from './operations.ts';

describe('records in memory', () => operationsConformance(memoryUnderTest));
