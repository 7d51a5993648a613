import { openLivenessSocket } from '@turnlog/storage-kit'

const [, , file, then] = process.argv
const socket = await openLivenessSocket(file)
process.stdout.write(socket === undefined ? 'none' : 'open', () => {
  if (then === 'exit') process.exit()
  if (then === 'end') socket.close()
  if (then === 'spin') for (;;);
  if (then === 'wait') process.stdin.resume() // until it is killed
})
