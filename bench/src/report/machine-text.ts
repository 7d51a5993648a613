import type { Machine } from './machine.ts'

export function machineText({ processor, cores, memoryGiB, system, fileSystem, node }: Machine): string {
  return `${cores} x ${processor}, ${memoryGiB} GiB, ${system}, ${fileSystem}, Node ${node}`
}

export function versionsText({ versions }: Machine): string {
  return Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')
}
