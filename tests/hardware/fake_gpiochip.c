/* GPIO chips of a Raspberry Pi for the real libraries on a machine without pins: preloaded, it answers for files
 * named gpiochipN as the kernel does (linux/gpio.h).
 *
 * FAKE_GPIO_LABELS  "0=gpio-brcmstb,4=pinctrl-rp1"   label of each chip by its number
 * FAKE_GPIO_LINES   "17=onewire@11,3=shutdown"       consumer of each line that is in use, on every chip
 *
 * Lines that this process requests are in use, too, with the consumer that it names.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define LINES 54
#define FILES 1024
#define MAJOR 254

static int chip_of_file[FILES]; /* the number of the chip + 1 */
static char requested[LINES][GPIO_MAX_NAME_SIZE];

/* Copy the value of a number in "number=value,..." and return 1, or return 0. */
static int lookup(const char *variable, int number, char *value, size_t size)
{
	const char *text = getenv(variable);
	while (text && *text) {
		char *end;
		long found = strtol(text, &end, 10);
		size_t length = strcspn(end, ",");
		if (*end == '=' && found == number) {
			snprintf(value, size, "%.*s", (int)length - 1, end + 1);
			return 1;
		}
		text = end + length + (end[length] == ',');
	}
	return 0;
}

/* Return the number of the chip with this path, -1 if it is none. */
static int chip_at(const char *path)
{
	char label[GPIO_MAX_NAME_SIZE];
	const char *name = strrchr(path, '/');
	int number, length = 0;
	if (!name || sscanf(name, "/gpiochip%d%n", &number, &length) != 1 || name[length])
		return -1;
	return lookup("FAKE_GPIO_LABELS", number, label, sizeof label) ? number : -1;
}

static int open_chip(const char *path)
{
	int chip = chip_at(path);
	if (chip < 0)
		return -1;
	int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
	int file = real("/dev/null", O_RDWR | O_CLOEXEC);
	if (file >= 0 && file < FILES)
		chip_of_file[file] = chip + 1;
	return file;
}

#define OPEN(name)                                                                   \
	int name(const char *path, int flags, ...)                                   \
	{                                                                            \
		va_list arguments;                                                   \
		va_start(arguments, flags);                                          \
		mode_t mode = va_arg(arguments, mode_t);                             \
		va_end(arguments);                                                   \
		int file = open_chip(path);                                          \
		if (file >= 0)                                                       \
			return file;                                                 \
		int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, #name);       \
		return real(path, flags, mode);                                      \
	}
OPEN(open)
OPEN(open64)

int close(int file)
{
	int (*real)(int) = dlsym(RTLD_NEXT, "close");
	if (file >= 0 && file < FILES)
		chip_of_file[file] = 0;
	return real(file);
}

static void become_device(const char *path, struct stat *status)
{
	int chip = chip_at(path);
	if (chip >= 0) {
		status->st_mode = S_IFCHR | (status->st_mode & 07777);
		status->st_rdev = makedev(MAJOR, chip);
	}
}

#define STAT(name)                                                                   \
	int name(const char *path, struct stat *status)                              \
	{                                                                            \
		int (*real)(const char *, struct stat *) = dlsym(RTLD_NEXT, #name);  \
		int result = real(path, status);                                     \
		if (!result)                                                         \
			become_device(path, status);                                 \
		return result;                                                       \
	}
#define XSTAT(name)                                                                  \
	int name(int version, const char *path, struct stat *status)                 \
	{                                                                            \
		int (*real)(int, const char *, struct stat *) = dlsym(RTLD_NEXT, #name); \
		int result = real(version, path, status);                            \
		if (!result)                                                         \
			become_device(path, status);                                 \
		return result;                                                       \
	}
STAT(stat)
STAT(lstat)
XSTAT(__xstat)
XSTAT(__lxstat)

char *realpath(const char *path, char *resolved)
{
	char *(*real)(const char *, char *) = dlsym(RTLD_NEXT, "realpath");
	int chip;
	if (sscanf(path, "/sys/dev/char/254:%d/subsystem", &chip) == 1) {
		const char *bus = "/sys/bus/gpio";
		return resolved ? strcpy(resolved, bus) : strdup(bus);
	}
	return real(path, resolved);
}

static int line_info(struct gpio_v2_line_info *info)
{
	unsigned offset = info->offset;
	if (offset >= LINES) {
		errno = EINVAL;
		return -1;
	}
	memset(info, 0, sizeof *info);
	info->offset = offset;
	snprintf(info->name, sizeof info->name, "GPIO%u", offset);
	info->flags = GPIO_V2_LINE_FLAG_INPUT;
	if (*requested[offset])
		strcpy(info->consumer, requested[offset]);
	else if (!lookup("FAKE_GPIO_LINES", offset, info->consumer, sizeof info->consumer))
		return 0;
	info->flags |= GPIO_V2_LINE_FLAG_USED;
	return 0;
}

static int request_line(struct gpio_v2_line_request *request)
{
	struct gpio_v2_line_info info = {0};
	for (unsigned number = 0; number < request->num_lines; number++) {
		info.offset = request->offsets[number];
		if (line_info(&info) || info.flags & GPIO_V2_LINE_FLAG_USED) {
			errno = EBUSY;
			return -1;
		}
		strcpy(requested[info.offset], *request->consumer ? request->consumer : "?");
	}
	request->fd = eventfd(0, EFD_CLOEXEC); /* never readable: no line changes */
	return 0;
}

int ioctl(int file, unsigned long request, ...)
{
	va_list arguments;
	va_start(arguments, request);
	void *data = va_arg(arguments, void *);
	va_end(arguments);
	int chip = file >= 0 && file < FILES ? chip_of_file[file] - 1 : -1;
	if (chip < 0) {
		int (*real)(int, unsigned long, ...) = dlsym(RTLD_NEXT, "ioctl");
		return real(file, request, data);
	}
	switch ((unsigned)request) { /* libgpiod extends the sign of a 32-bit number */
	case GPIO_GET_CHIPINFO_IOCTL: {
		struct gpiochip_info *info = data;
		memset(info, 0, sizeof *info);
		snprintf(info->name, sizeof info->name, "gpiochip%d", chip);
		lookup("FAKE_GPIO_LABELS", chip, info->label, sizeof info->label);
		info->lines = LINES;
		return 0;
	}
	case GPIO_V2_GET_LINEINFO_IOCTL:
		return line_info(data);
	case GPIO_V2_GET_LINE_IOCTL:
		return request_line(data);
	case GPIO_GET_LINEINFO_IOCTL: {
		struct gpioline_info *old = data;
		struct gpio_v2_line_info info = {.offset = old->line_offset};
		if (line_info(&info))
			return -1;
		old->flags = info.flags & GPIO_V2_LINE_FLAG_USED ? GPIOLINE_FLAG_KERNEL : 0;
		strcpy(old->name, info.name);
		strcpy(old->consumer, info.consumer);
		return 0;
	}
	case GPIO_GET_LINEHANDLE_IOCTL: {
		struct gpiohandle_request *old = data;
		struct gpio_v2_line_request new = {.num_lines = old->lines};
		memcpy(new.offsets, old->lineoffsets, sizeof new.offsets);
		strcpy(new.consumer, old->consumer_label);
		int result = request_line(&new);
		old->fd = new.fd;
		return result;
	}
	}
	errno = ENOTTY;
	return -1;
}
