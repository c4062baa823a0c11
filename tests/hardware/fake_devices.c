/* Devices of a Raspberry Pi for any program, on any Linux: loaded with LD_PRELOAD, in place of the kernel's.
 *
 * The environment variable FAKE_PI names a folder. Files of the kernel that describe a Pi, and its devices, are
 * looked for below that folder only: a device is there if its (empty) file is there. Behind them are models of
 *
 *     /dev/spidev0.0   write and SPI_IOC_MESSAGE, at most as many bytes as sys/module/spidev/parameters/bufsiz
 *     /dev/mem         4 GiB of physical memory with the registers of DMA channel 10 and of the clocks of PWM
 *                      and PCM; they make progress while the program sleeps
 *     /dev/vcio        allocation of memory by the mailbox
 *     /dev/gpiochip*   chips and lines of GPIO
 *     /dev/pio0        the PIO of a Pi 5: transfers to a state machine; all other requests succeed
 *
 * Every transfer is appended to the file `sent`: three words (device; speed in Hz, or the address that DMA writes
 * to; number of bytes), then the bytes. The settings of SPI are in `spi`: mode and bits of a word.
 *
 * The folder `faults` has faults: a file with the path of a device holds the number of the error that opening it
 * fails with, `settings` and `transfer` those of SPI, `mailbox` that of the mailbox, `pio` that of a request to PIO;
 * `dma` makes DMA never end, `held` a transfer by SPI, during which there is a file `holding`.
 * The file `user` has the number of the user that the program thinks it is.
 *
 * Registers: BCM2835 ARM Peripherals, chapters 4.2 (DMA) and 6.3 (clocks).
 */

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/gpio.h>
#include <linux/spi/spidev.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum { SPI_WRITE = 1, SPI_MESSAGE = 2, DMA = 3, PIO = 4 };

/* --- Paths ------------------------------------------------------------------------------------------------ */

static const char *const FAKED[] = {
    "/dev/gpiochip", "/dev/gpiomem", "/dev/mem", "/dev/pio", "/dev/serial0", "/dev/spidev", "/dev/vcio",
    "/proc/cpuinfo", "/proc/device-tree", "/sys/class/tty", "/sys/module/spidev",
};

static const char *folder(void)
{
    return getenv("FAKE_PI");
}

static int is_faked(const char *path)
{
    for (size_t i = 0; path != NULL && folder() != NULL && i < sizeof(FAKED) / sizeof(*FAKED); i++)
        if (strncmp(path, FAKED[i], strlen(FAKED[i])) == 0)
            return 1;
    return 0;
}

static const char *real(const char *path, char *buffer)
{
    if (!is_faked(path) && !(path != NULL && folder() != NULL && strcmp(path, "/dev") == 0))
        return path;
    snprintf(buffer, PATH_MAX, "%s%s", folder(), path);
    return buffer;
}

/* Return the number in a file of the folder, `otherwise` if there is none. */
static long number_in(const char *name, long otherwise)
{
    char path[PATH_MAX], text[32] = "";
    snprintf(path, sizeof path, "%s/%s", folder(), name);
    int file = NEXT(open)(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return otherwise;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    return length > 0 ? atol(text) : otherwise;
}

static int fault_of(const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "faults/%s", name);
    return (int)number_in(path, 0);
}

static void append(const char *name, const void *data, size_t length)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder(), name);
    int file = NEXT(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file < 0 || NEXT(write)(file, data, length) != (ssize_t)length)
        abort();
    close(file);
}

/* In one piece, so that a reader never sees half of it. */
static void record(uint32_t device, uint32_t speed, const void *data, uint32_t length)
{
    uint32_t *sent = malloc(12 + (size_t)length);
    sent[0] = device;
    sent[1] = speed;
    sent[2] = length;
    memcpy(sent + 3, data, length);
    append("sent", sent, 12 + (size_t)length);
    free(sent);
}

/* Return whether an open file is that of a device, whose path this is or begins so. */
static int is_device(int file, const char *device)
{
    char link[64], target[PATH_MAX], wanted[PATH_MAX];
    if (folder() == NULL)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, target, sizeof target - 1);
    if (length < 0)
        return 0;
    target[length] = 0;
    snprintf(wanted, sizeof wanted, "%s%s", folder(), device);
    return strncmp(target, wanted, strlen(wanted)) == 0;
}

/* --- Physical memory: DMA channel 10 and the clocks ------------------------------------------------------- */

#define MEMORY 0x100000000L
#define OF_MAILBOX 0x01000000u /* the physical address of the memory that the mailbox allocates */
#define BUS 0xC0000000u

static uint8_t *memory; /* of the last /dev/mem that was opened */

static volatile uint32_t *word(uint32_t address)
{
    return (volatile uint32_t *)(memory + address);
}

static void run_clock(uint32_t control)
{
    if (*word(control) & 1u << 5) /* kill */
        *word(control) &= ~(1u << 7);
    else if (*word(control) & 1u << 4) /* enable */
        *word(control) |= 1u << 7; /* busy */
}

static void run_dma(uint32_t channel)
{
    if (!(*word(channel) & 1) || fault_of("dma")) /* active */
        return;
    uint32_t block = *word(channel + 4) & ~BUS;
    uint32_t source = *word(block + 4) & ~BUS, destination = *word(block + 8), length = *word(block + 12);
    record(DMA, destination, memory + source, length);
    *word(channel) = 1u << 1; /* end */
}

static void run_devices(void)
{
    const uint32_t bases[] = {0x20000000, 0x3f000000, 0xfe000000}; /* Pi 1, Pi 2 and 3, Pi 4 */
    for (size_t i = 0; memory != NULL && i < 3; i++) {
        run_clock(bases[i] + 0x101098); /* PCM */
        run_clock(bases[i] + 0x1010a0); /* PWM */
        run_dma(bases[i] + 0x7a00);
        *word(bases[i] + 0x203000) |= 1u << 21; /* PCM: its FIFO is empty */
    }
}

static void map_memory(int file)
{
    if (ftruncate(file, MEMORY) != 0)
        abort();
    if (memory == NULL)
        memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (memory == MAP_FAILED)
        abort();
}

int usleep(useconds_t microseconds)
{
    run_devices();
    return NEXT(usleep)(microseconds);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left)
{
    run_devices();
    return NEXT(clock_nanosleep)(clock, flags, until, left);
}

/* --- Requests to devices ---------------------------------------------------------------------------------- */

static uint32_t spi_speed;

static ssize_t transfer(uint32_t kind, const void *data, size_t length)
{
    if (fault_of("held"))
        append("holding", "", 0);
    while (fault_of("held"))
        NEXT(usleep)(1000);
    int fault = fault_of("transfer");
    if (fault == 0 && (long)length > number_in("sys/module/spidev/parameters/bufsiz", 4096))
        fault = EMSGSIZE;
    if (fault != 0) {
        errno = fault;
        return -1;
    }
    record(kind, spi_speed, data, (uint32_t)length);
    return (ssize_t)length;
}

static int request_of_spi(unsigned long request, void *argument)
{
    const struct spi_ioc_transfer *message = argument;
    const char *name = NULL;
    char text[32];
    int fault = fault_of("settings");
    if (fault != 0) {
        errno = fault;
        return -1;
    }
    switch (request) {
    case SPI_IOC_WR_MAX_SPEED_HZ:
        spi_speed = *(uint32_t *)argument;
        return 0;
    case SPI_IOC_RD_MAX_SPEED_HZ:
        *(uint32_t *)argument = spi_speed;
        return 0;
    case SPI_IOC_WR_MODE:
        name = "mode";
        break;
    case SPI_IOC_WR_BITS_PER_WORD:
        name = "bits";
        break;
    case SPI_IOC_RD_MODE:
    case SPI_IOC_RD_BITS_PER_WORD:
        return 0;
    case SPI_IOC_MESSAGE(1):
        return (int)transfer(SPI_MESSAGE, (const void *)(uintptr_t)message->tx_buf, message->len);
    }
    if (name == NULL) {
        errno = ENOTTY;
        return -1;
    }
    append("spi", text, (size_t)snprintf(text, sizeof text, "%s %d\n", name, *(uint8_t *)argument));
    return 0;
}

static int request_of_mailbox(uint32_t *message)
{
    errno = fault_of("mailbox");
    if (errno != 0)
        return -1;
    if (message[2] == 0x3000c) /* allocate */
        message[5] = 1;
    else if (message[2] == 0x3000d) /* lock */
        message[5] = BUS | OF_MAILBOX;
    else
        message[5] = 0;
    return 0;
}

static int request_of_gpio(unsigned long request, void *argument)
{
    struct gpiochip_info *chip = argument;
    struct gpio_v2_line_request *lines = argument;
    struct gpio_v2_line_info *line = argument;
    switch (request) {
    case GPIO_GET_CHIPINFO_IOCTL:
        memset(chip, 0, sizeof *chip);
        strcpy(chip->name, "gpiochip0");
        strcpy(chip->label, "pinctrl-bcm2711");
        chip->lines = 58;
        return 0;
    case GPIO_V2_GET_LINEINFO_IOCTL:
        line->flags = GPIO_V2_LINE_FLAG_INPUT;
        return 0;
    case GPIO_V2_GET_LINE_IOCTL: {
        char path[PATH_MAX]; /* a pipe, because no level ever changes: nothing can be read from the lines */
        snprintf(path, sizeof path, "%s/lines", folder());
        mkfifo(path, 0666);
        lines->fd = NEXT(open)(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
        return lines->fd < 0 ? -1 : 0;
    }
    case GPIO_V2_LINE_SET_CONFIG_IOCTL:
    case GPIO_V2_LINE_SET_VALUES_IOCTL:
    case GPIO_V2_LINE_GET_VALUES_IOCTL:
        return 0;
    }
    errno = ENOTTY;
    return -1;
}

struct pio_transfer {
    uint16_t machine, direction, length;
    void *data;
};

static int request_of_pio(unsigned long request, const struct pio_transfer *transfer)
{
    int fault = fault_of("pio");
    if (fault != 0) {
        errno = fault;
        return -1;
    }
    if (request == _IOW(102, 1, struct pio_transfer))
        record(PIO, transfer->machine, transfer->data, transfer->length);
    return 0;
}

int ioctl(int file, unsigned long asked, ...)
{
    va_list arguments;
    va_start(arguments, asked);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    unsigned long request = (uint32_t)asked; /* some callers pass it as a negative int */
    if (is_device(file, "/dev/spidev"))
        return request_of_spi(request, argument);
    if (is_device(file, "/dev/vcio"))
        return request_of_mailbox(argument);
    if (is_device(file, "/dev/pio"))
        return request_of_pio(request, argument);
    if (is_device(file, "/dev/gpiochip") || is_device(file, "/lines"))
        return request_of_gpio(request, argument);
    return NEXT(ioctl)(file, asked, argument);
}

ssize_t write(int file, const void *data, size_t length)
{
    if (is_device(file, "/dev/spidev"))
        return transfer(SPI_WRITE, data, length);
    return NEXT(write)(file, data, length);
}

/* --- Files ------------------------------------------------------------------------------------------------ */

static int opened(const char *path, int file)
{
    if (file < 0 || !is_faked(path))
        return file;
    if (strcmp(path, "/dev/mem") == 0)
        map_memory(file);
    if (strcmp(path, "/dev/gpiomem") == 0 && ftruncate(file, MEMORY) != 0)
        abort();
    return file;
}

static int is_refused(const char *path)
{
    if (!is_faked(path))
        return 0;
    errno = fault_of(path + 1);
    return errno != 0;
}

static mode_t mode_of(int flags, va_list arguments)
{
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

#define OPEN(name)                                                                          \
    int name(const char *path, int flags, ...)                                              \
    {                                                                                       \
        char buffer[PATH_MAX];                                                              \
        va_list arguments;                                                                  \
        va_start(arguments, flags);                                                         \
        mode_t mode = mode_of(flags, arguments);                                            \
        va_end(arguments);                                                                  \
        return is_refused(path) ? -1 : opened(path, NEXT(name)(real(path, buffer), flags, mode)); \
    }

#define OPENAT(name)                                                                        \
    int name(int directory, const char *path, int flags, ...)                               \
    {                                                                                       \
        char buffer[PATH_MAX];                                                              \
        va_list arguments;                                                                  \
        va_start(arguments, flags);                                                         \
        mode_t mode = mode_of(flags, arguments);                                            \
        va_end(arguments);                                                                  \
        return is_refused(path) ? -1                                                        \
                                : opened(path, NEXT(name)(directory, real(path, buffer), flags, mode)); \
    }

#define FOPEN(name)                                                                         \
    FILE *name(const char *path, const char *mode)                                          \
    {                                                                                       \
        char buffer[PATH_MAX];                                                              \
        return NEXT(name)(real(path, buffer), mode);                                        \
    }

/* The files of the devices are plain ones; programs see character devices. */
#define STAT(name, type, VERSION, PASSED)                                                   \
    int name(VERSION const char *path, struct type *result)                                 \
    {                                                                                       \
        char buffer[PATH_MAX];                                                              \
        int status = NEXT(name)(PASSED real(path, buffer), result);                         \
        if (status == 0 && is_faked(path) && strncmp(path, "/dev/", 5) == 0) {              \
            result->st_mode = S_IFCHR | (result->st_mode & 07777);                          \
            result->st_rdev = makedev(254, 0);                                              \
        }                                                                                   \
        return status;                                                                      \
    }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
FOPEN(fopen)
FOPEN(fopen64)
#define NONE
#define VERSION int version,
#define PASSED version,
STAT(stat, stat, NONE, NONE)
STAT(stat64, stat64, NONE, NONE)
STAT(lstat, stat, NONE, NONE)
STAT(lstat64, stat64, NONE, NONE)
int __xstat(VERSION const char *, struct stat *); /* of programs that were linked with a glibc before 2.33 */
int __lxstat(VERSION const char *, struct stat *);
STAT(__xstat, stat, VERSION, PASSED)
STAT(__lxstat, stat, VERSION, PASSED)

int access(const char *path, int mode)
{
    char buffer[PATH_MAX];
    return is_refused(path) ? -1 : NEXT(access)(real(path, buffer), mode);
}

DIR *opendir(const char *path)
{
    char buffer[PATH_MAX];
    return NEXT(opendir)(real(path, buffer));
}

char *realpath(const char *path, char *resolved)
{
    if (folder() != NULL && strncmp(path, "/sys/dev/char/254:", 18) == 0) /* asked by libgpiod */
        return strdup("/sys/bus/gpio");
    return NEXT(realpath)(path, resolved);
}

/* --- User ------------------------------------------------------------------------------------------------- */

uid_t geteuid(void)
{
    uid_t user = NEXT(geteuid)();
    return folder() == NULL ? user : (uid_t)number_in("user", user);
}

uid_t getuid(void)
{
    uid_t user = NEXT(getuid)();
    return folder() == NULL ? user : (uid_t)number_in("user", user);
}
